/*
 * Arithmetic.
 *
 * expect: safety holds
 * graph: 95 states, 373 matched, 0 atomic, 0 errors
 */
short x = 7;
active proctype P() { do :: x = (x * 5 - 3) % 17 :: x = (x << 2 ^ 5) & 63 :: x = -x / 3 | 1 :: x = ~x >> 1 :: x = (x > 3 -> x - 1 : x + 2) :: x > 60 || x < -60 -> break od }
