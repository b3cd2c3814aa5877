/*
 * The channel of a receive is in range.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan q[2] = [1] of { byte }; byte i = 1, x; active proctype P() { end: q[i]?x } active proctype Q() { i = 0 }
