/*
 * The element that the receiver of a rendezvous stores to fails.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 2; active proctype P() { end: r?a[i] } active proctype S() { end: r!1 }
