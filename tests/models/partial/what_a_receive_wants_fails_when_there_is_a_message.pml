/*
 * What a receive wants fails when there is a message.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { c!1; end: c?eval(a[i]) }
