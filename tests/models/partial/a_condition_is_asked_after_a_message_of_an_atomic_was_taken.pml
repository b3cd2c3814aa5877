/*
 * A condition is asked after a message of an atomic was taken.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype T() { end: a[i] == 5 }
active proctype R() { r?x; i = 0 } active proctype S() { atomic { i = 2; r!1 } }
