/*
 * All fields of a random poll are asked even when there is no message.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: c??[0,eval(a[i])] }
