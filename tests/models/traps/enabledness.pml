/*
 * Enabledness.
 *
 * expect: safety violated
 * reduction: on
 */
byte x;
active proctype A() { x == 1 }
active proctype B() { x = 1 }
active proctype C() { assert(!enabled(0)) }
