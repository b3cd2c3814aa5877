/*
 * Provided of a bystander fails while a message of an atomic is offered.
 *
 * expect: safety holds, 4 states
 * spin: index, because SPIN asks every process, also those that wait for no message
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype T() provided (a[i] == 0) { end: false }
active proctype R() { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 2; r!1 } }
