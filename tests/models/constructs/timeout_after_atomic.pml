/*
 * Timeout after atomic.
 *
 * expect: safety holds
 * graph: 11 states, 1 matched, 5 atomic, 0 errors
 */
byte x;
active proctype A() { atomic { x = 1; timeout; x = 2; x == 5; x = 6 } }
active proctype B() { x == 2 -> x = 3; timeout -> x = 5 }
