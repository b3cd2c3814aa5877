/*
 * Unless guard.
 *
 * expect: safety violated
 * graph: 65 states, 37 matched, 0 atomic, 1 errors
 */
byte x;
active proctype A() { { do :: x < 5 -> x++ :: x > 2 -> x-- od } unless { x == 4 -> x = 9 }; x = 0 }
active proctype B() { do :: x == 0 -> x = 1 :: x == 2 -> x = 3; break od }
