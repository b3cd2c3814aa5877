/*
 * Active many.
 *
 * expect: safety holds
 * graph: 60 states, 75 matched, 0 atomic, 0 errors
 */
byte x;
active [4] proctype A() { x = x + _pid; x == 6 }
