/*
 * Provided of the receiver fails while a message of an atomic is offered.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype R() provided (a[i] == 0) { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 2; r!1 } }
