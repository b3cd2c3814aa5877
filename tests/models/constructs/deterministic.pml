/*
 * Deterministic.
 *
 * expect: safety holds
 * graph: 7 states, 0 matched, 0 atomic, 0 errors
 */
byte x;
active D_proctype A() { do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x > 1 -> break od }
