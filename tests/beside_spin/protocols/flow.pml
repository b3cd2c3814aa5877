/* Credit-based flow control; throughput is counted. */
chan d = [3] of { byte }; chan credit = [3] of { bit }; int bytes, stalls;
active proctype Src() { byte c = 2, v; do :: c > 0 -> d!v; c--; v = (v + 1) % 2 :: credit?_ -> c++ :: c == 0 && empty(credit) -> stalls++ od }
active proctype Dst() { byte v; do :: d?v -> bytes = bytes + v; assert(len(d) < 2); credit!1 od }
