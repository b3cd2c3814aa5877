/*
 * The bound of a select is in range.
 *
 * expect: safety holds, 8 states
 * spin: same
 */
byte a[2] = 1, i = 1, x; init { select (x : 0 .. a[i]) }
