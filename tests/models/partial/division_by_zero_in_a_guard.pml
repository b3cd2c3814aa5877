/*
 * Division by zero in a guard.
 *
 * expect: safety violated, division
 * spin: crash, because nothing checks the divisor
 */
byte n = 6, d; active proctype P() { end: n / d == 1 } active proctype Q() { d = 2 }
