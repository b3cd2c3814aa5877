/*
 * The element that the receiver of a rendezvous stores to is in range.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 1; active proctype P() { end: r?a[i] } active proctype S() { end: r!1 }
