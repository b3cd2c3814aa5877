/*
 * Two processes that share a variable, behind so many others that their pids have no bit in a word.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
byte x;
active [66] proctype Waits() { end: (false) }
active proctype A() { x = 1 }
active proctype B() { assert(x == 0) }
