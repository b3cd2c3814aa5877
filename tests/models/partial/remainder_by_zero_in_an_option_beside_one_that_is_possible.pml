/*
 * Remainder by zero in an option beside one that is possible.
 *
 * expect: safety violated, division
 * spin: crash, because nothing checks the divisor
 */
byte n = 6, d; active proctype P() { end: if :: n == 6 :: n % d == 1 fi }
