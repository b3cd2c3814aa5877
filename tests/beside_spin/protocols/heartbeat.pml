/* A heartbeat; missed and received beats are counted. */
chan h = [1] of { bit }; int beats, missed; bool up = 1;
active proctype Node() { do :: up -> if :: h!1 :: full(h) fi :: up = 0 :: !up -> up = 1 od }
active proctype Watch() { do :: h?_ -> beats++ :: empty(h) -> missed++ od }
