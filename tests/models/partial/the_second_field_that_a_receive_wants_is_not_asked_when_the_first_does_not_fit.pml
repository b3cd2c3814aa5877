/*
 * The second field that a receive wants is not asked when the first does not fit.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { c!1,0; end: c?0,eval(a[i]) }
