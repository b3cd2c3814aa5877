/*
 * A condition in a conditional expression is guarded.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2, x; init { x = ((i < 2 && a[i] == 1) -> 1 : 2) }
