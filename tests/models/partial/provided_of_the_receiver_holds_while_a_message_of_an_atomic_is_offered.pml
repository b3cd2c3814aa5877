/*
 * Provided of the receiver holds while a message of an atomic is offered.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype R() provided (a[i] == 0) { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 1; r!1 } }
