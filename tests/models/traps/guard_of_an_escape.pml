/*
 * Guard of an escape.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, y;
active proctype A() { { y = 1; y = 2; y = 3 } unless { x == 1 -> assert(y != 2) } }
active proctype B() { x = 1 }
