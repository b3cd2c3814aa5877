/*
 * What a random receiver of a rendezvous wants is not asked while nobody offers.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan r = [0] of { byte, byte }; byte a[2], i = 2; active proctype P() { end: r??2,eval(a[i]) } active proctype S() { end: i == 1; r!1,1 }
