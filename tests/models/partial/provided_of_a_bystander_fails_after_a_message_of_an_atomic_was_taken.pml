/*
 * Provided of a bystander fails after a message of an atomic was taken.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype T() provided (a[i] == 0) { end: false }
active proctype R() { r?x; i = 0 } active proctype S() { atomic { i = 2; r!1 } }
