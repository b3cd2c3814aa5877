/* A monitor keeps a log that nobody reads. */
chan q = [2] of { byte, byte }; byte log[4]; byte last; int total;
active proctype Logger() { byte w, v; end: do :: q?w,v -> log[w % 4] = v; last = w; total = total + v od }
active [3] proctype W() { byte i; do :: i < 3 -> q!_pid,i; i++ :: else -> break od }
