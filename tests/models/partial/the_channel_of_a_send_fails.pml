/*
 * The channel of a send fails.
 *
 * expect: safety violated, index
 * spin: same
 */
chan q[2] = [1] of { byte }; byte i = 2; active proctype P() { end: q[i]!1 } active proctype Q() { i = 0 }
