/*
 * A random poll is guarded.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: (i < 2 && c??[0,eval(a[i])]) }
