/*
 * The channel of a send is in range.
 *
 * expect: safety holds, 10 states
 * spin: same
 */
chan q[2] = [1] of { byte }; byte i = 1; active proctype P() { end: q[i]!1 } active proctype Q() { i = 0 }
