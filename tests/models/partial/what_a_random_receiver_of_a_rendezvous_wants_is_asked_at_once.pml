/*
 * What a random receiver of a rendezvous wants is asked at once.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: r??2,eval(a[i]) } active proctype S() { end: r!1,1 }
