/*
 * A counter decides about an assertion, by way of two others.
 *
 * expect: safety violated, assertion
 */
byte x, a, b, c;
active proctype P() { do :: x < 2 -> x++; a++ :: x > 0 -> x--; b = a; c = b od }
active proctype Q() { assert(c < 3) }
