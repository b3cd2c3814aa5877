/*
 * The bound of a for fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; init { for (x : 0 .. a[i]) { skip } }
