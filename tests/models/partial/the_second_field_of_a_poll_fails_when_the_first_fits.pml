/*
 * The second field of a poll fails when the first fits.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { c!0,0; end: c?[0,eval(a[i])] }
