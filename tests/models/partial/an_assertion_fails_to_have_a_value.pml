/*
 * An assertion fails to have a value.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; init { assert(i < 2 || a[i] == 0) }
