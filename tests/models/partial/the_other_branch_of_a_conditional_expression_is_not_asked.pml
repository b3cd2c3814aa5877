/*
 * The other branch of a conditional expression is not asked.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2, x; init { x = (i < 2 -> a[i] : 7) }
