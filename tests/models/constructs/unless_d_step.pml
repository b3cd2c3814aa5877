/*
 * Unless d step.
 *
 * expect: safety violated
 * graph: 27 states, 7 matched, 10 atomic, 1 errors
 */
byte x, y;
active proctype A() { { do :: d_step { y < 3; y++; x = y } od } unless { atomic { x == 2; x = 7; y = 5 } } }
active proctype B() { y = 1; x = 0 }
