/*
 * Atomic counts as a whole mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
byte x;
active proctype A() { byte l; atomic { l = 1; x = 1; x = 2 } }
active proctype B() { assert(x != 1) }
