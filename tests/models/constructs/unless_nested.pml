/*
 * Unless nested.
 *
 * expect: safety holds
 * graph: 50 states, 23 matched, 0 atomic, 0 errors
 */
byte x, y;
active proctype A() { { { x++; x++; x++ } unless { y == 1 -> x = 10 }; x++ } unless { y == 2 -> x = 20 } }
active proctype B() { y = 1; y = 2 }
