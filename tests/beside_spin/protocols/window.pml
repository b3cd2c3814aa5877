/* A sliding window of two, with stamps that nobody compares. */
chan d = [2] of { byte, int }; chan a = [2] of { byte }; int clock, delay;
active proctype S() { byte next, acked, n; do :: (next + 4 - acked) % 4 < 2 -> clock++; d!next,clock; next = (next + 1) % 4 :: a?n -> acked = (n + 1) % 4 od }
active proctype R() { byte n, want; int t; do :: d?n,t -> assert(n == want); delay = delay + t; want = (want + 1) % 4; a!n od }
