/*
 * The branch of a conditional expression fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; init { x = (i < 2 -> 7 : a[i]) }
