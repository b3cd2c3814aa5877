/*
 * A condition is not asked while a message of an atomic is offered.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype T() { end: a[i] == 5 }
active proctype R() { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 2; r!1 } }
