/* A wait group as a process. */
typedef WG { chan add = [0] of { int }; chan wait = [0] of { bit } }
proctype Group(WG g) { int n, d; end: do :: g.add?d -> n = n + d; assert(n >= 0) :: n == 0 -> g.wait?_ od }
proctype Go(WG g; byte v) { byte x; x = v * 2; g.add!-1 }
init { WG g; run Group(g); g.add!3; run Go(g, 1); run Go(g, 2); run Go(g, 3); g.wait!1 }
