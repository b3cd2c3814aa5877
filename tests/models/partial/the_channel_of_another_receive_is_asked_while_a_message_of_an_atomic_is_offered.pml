/*
 * The channel of another receive is asked while a message of an atomic is offered.
 *
 * expect: safety violated, index
 * spin: same
 */
chan q[2] = [0] of { byte }; chan r = [0] of { byte }; byte i, x, y; active proctype T() { end: q[i]?y }
active proctype R() { atomic { r?x; i = 0 } } active proctype S() { atomic { i = 2; r!1 } }
