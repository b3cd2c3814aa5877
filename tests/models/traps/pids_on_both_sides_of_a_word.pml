/*
 * The last process that has a bit in the first word shares a variable with the first one that has not.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
byte x;
active [63] proctype Waits() { end: (false) }
active proctype A() { x = 1 }
active proctype B() { assert(x == 0) }
active [2] proctype Behind() { end: (false) }
