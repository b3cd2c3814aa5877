/*
 * A condition of a d_step is not asked while a message of an atomic is offered.
 *
 * expect: safety holds, 15 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i, x; active proctype T() { i = 0; x = 0; endd: d_step { if :: a[i] == 5 -> x = 1 :: r?3 -> x = 2 fi } }
active proctype R() { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 2; r!1 } }
