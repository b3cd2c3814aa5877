/*
 * Conditional expression.
 *
 * expect: safety holds
 * graph: 95 states, 60 matched, 0 atomic, 0 errors
 */
byte x, y;
active [2] proctype A() { do :: x < 3 -> x = (y > 1 && x != 2 || !y -> x + 1 : 3); y = (x == 1 -> 2 : y) :: else -> break od }
