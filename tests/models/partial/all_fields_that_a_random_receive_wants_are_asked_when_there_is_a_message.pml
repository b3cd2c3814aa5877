/*
 * All fields that a random receive wants are asked when there is a message.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 2; active proctype P() { c!1,0; end: c??0,eval(a[i]) }
