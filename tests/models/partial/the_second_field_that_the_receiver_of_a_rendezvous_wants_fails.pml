/*
 * The second field that the receiver of a rendezvous wants fails.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: r?1,eval(a[i]) } active proctype S() { end: r!1,1 }
