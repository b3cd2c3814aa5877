/*
 * A variable that is only a divisor may be 0, where the quotient is not read.
 *
 * expect: safety violated, division
 */
byte n = 3; byte q;
active proctype P() { do :: q = 7 / n; n-- od }
