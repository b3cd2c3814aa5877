/*
 * The mirror: the divisor is never 0.
 *
 * expect: safety holds
 */
byte n = 3; byte q;
active proctype P() { do :: q = 7 / (n + 1); n-- od }
