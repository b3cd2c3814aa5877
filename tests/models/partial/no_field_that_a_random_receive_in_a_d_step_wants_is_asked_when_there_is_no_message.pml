/*
 * No field that a random receive in a d_step wants is asked when there is no message.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2, x; active proctype P() { end: skip; endd: d_step { c??0,eval(a[i]) -> x = 1 } }
