/*
 * Priorities.
 *
 * expect: safety holds
 * reduction: off
 */
byte x;
active proctype A() priority 2 { x = 1 }
active proctype B() priority 1 { assert(x == 1) }
