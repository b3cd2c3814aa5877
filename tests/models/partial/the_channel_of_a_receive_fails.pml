/*
 * The channel of a receive fails.
 *
 * expect: safety violated, index
 * spin: same
 */
chan q[2] = [1] of { byte }; byte i = 2, x; active proctype P() { end: q[i]?x } active proctype Q() { i = 0 }
