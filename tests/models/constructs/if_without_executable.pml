/*
 * If without executable.
 *
 * expect: safety holds
 * graph: 21 states, 7 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() { if :: x == 1 -> x = 2 :: x == 2 -> x = 3 fi; x = 0 }
active proctype B() { x = 1; x = 2 }
