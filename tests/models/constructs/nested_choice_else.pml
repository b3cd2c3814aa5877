/*
 * Nested choice else.
 *
 * expect: safety violated
 * graph: 40 states, 18 matched, 0 atomic, 1 errors
 */
byte x;
active proctype A() { do :: if :: x == 0 -> x = 1 :: x == 2 -> x = 3 :: else -> x = 2 fi :: x == 3 -> break od }
active proctype B() { x == 2; x = 0 }
