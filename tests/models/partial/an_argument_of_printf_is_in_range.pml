/*
 * An argument of printf is in range.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 1; init { printf("%d", a[i]) }
