/*
 * Timeout in all.
 *
 * expect: safety holds
 * graph: 36 states, 4 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() { x == 1 -> x = 2 }
active proctype B() { do :: timeout -> if :: x < 3 -> x++ :: else -> break fi od }
active proctype C() { timeout -> x = 1 }
