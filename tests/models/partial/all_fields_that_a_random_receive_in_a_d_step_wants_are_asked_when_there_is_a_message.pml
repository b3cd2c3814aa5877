/*
 * All fields that a random receive in a d_step wants are asked when there is a message.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2, x; active proctype P() { c!1,0; end: skip; endd: d_step { c??0,eval(a[i]) -> x = 1 } }
