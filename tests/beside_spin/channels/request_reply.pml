/* Requests carry the channel for the answer. */
chan srv = [1] of { byte, chan };
active proctype Server() { byte x; chan r; end: do :: srv?x,r -> r!x + 1 od }
active [3] proctype Client() { chan r = [1] of { byte }; byte x; srv!_pid,r; r?x; assert(x == _pid + 1) }
