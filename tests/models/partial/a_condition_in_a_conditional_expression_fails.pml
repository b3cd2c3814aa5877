/*
 * A condition in a conditional expression fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; init { x = (a[i] == 1 -> 1 : 2) }
