/*
 * Empty choice goto.
 *
 * expect: safety holds
 * graph: 6 states, 4 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() { do :: goto l1 :: break :: x = 1 od; l1: x = 2 }
