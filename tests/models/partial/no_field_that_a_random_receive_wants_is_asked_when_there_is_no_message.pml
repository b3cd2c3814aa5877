/*
 * No field that a random receive wants is asked when there is no message.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: c??0,eval(a[i]) }
