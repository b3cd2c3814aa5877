/*
 * Atomic else.
 *
 * expect: safety holds
 * graph: 11 states, 9 matched, 25 atomic, 0 errors
 */
byte x; chan c = [1] of { bit };
active [2] proctype A() { do :: atomic { if :: c!1 -> x++ :: else -> c?1; x-- fi } :: x > 0 -> break od }
