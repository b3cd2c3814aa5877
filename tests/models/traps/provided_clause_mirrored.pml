/*
 * Provided clause mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
byte x, y;
active proctype A() provided (x == 0) { end1: y = 1; end2: y = 2 }
active proctype B() { byte v; x = 1; v = y; assert(v == y) }
