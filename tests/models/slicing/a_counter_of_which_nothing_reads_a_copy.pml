/*
 * The mirror: copies that only flow into each other.
 *
 * expect: safety holds
 */
byte x, a, b, c;
active proctype P() { do :: x < 2 -> x++; a++ :: x > 0 -> x--; b = a; c = b od }
active proctype Q() { assert(x < 3) }
