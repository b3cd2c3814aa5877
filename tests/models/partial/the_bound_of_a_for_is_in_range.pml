/*
 * The bound of a for is in range.
 *
 * expect: safety holds, 7 states
 * spin: same
 */
byte a[2], i = 1, x; init { for (x : 0 .. a[i]) { skip } }
