/*
 * What a receive that takes nothing wants fails.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { c!1; end: c?<eval(a[i])> }
