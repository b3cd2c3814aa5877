/*
 * An argument of printf fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; init { printf("%d", a[i]) }
