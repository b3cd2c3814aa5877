/*
 * Last process.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, y;
active proctype A() { x = 1 }
active proctype B() { y = 1 }
active proctype C() { assert(!(x == 1 && y == 1 && _last == 0)) }
