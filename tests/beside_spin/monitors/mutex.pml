/* A mutex is a process with two rendezvous. */
chan acquire = [0] of { bit }; chan release = [0] of { bit };
byte inside;
active proctype Mutex() { end: do :: acquire?_ -> release?_ od }
active [3] proctype User() { byte i; do :: i < 2 -> acquire!1; inside++; assert(inside == 1); inside--; release!1; i++ :: else -> break od }
