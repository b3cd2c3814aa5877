/* A mutex, and the claim that nobody meets anybody inside. */
chan acquire = [0] of { bit }; chan release = [0] of { bit };
byte inside;
active proctype Mutex() { end: do :: acquire?_ -> release?_ od }
active [3] proctype User() { byte i; do :: acquire!1; inside++; i = 1 - i; inside--; release!1 od }
ltl alone { [] (inside < 2) }
