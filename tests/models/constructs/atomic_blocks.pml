/*
 * Atomic blocks.
 *
 * expect: safety violated
 * graph: 30 states, 14 matched, 12 atomic, 1 errors
 */
byte x, y;
active proctype A() { atomic { x = 1; y == 1; x = 2 }; x = 3 }
active proctype B() { atomic { x == 1 -> y = 1; y = 2; y = 1 } }
active proctype C() { do :: y++; y-- :: x == 3 -> break od }
