/*
 * An assertion has a value without its right side.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2; init { assert(i >= 2 || a[i] == 0) }
