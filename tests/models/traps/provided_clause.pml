/*
 * Provided clause.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, y;
active proctype A() provided (x == 0) { y = 1; y = 2 }
active proctype B() { x = 1; assert(y != 1) }
