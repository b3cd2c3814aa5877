/*
 * An option beside timeout fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { if :: timeout :: a[i] == 0 fi }
