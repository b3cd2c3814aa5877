/*
 * The bound of a select fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; init { select (x : 0 .. a[i]) }
