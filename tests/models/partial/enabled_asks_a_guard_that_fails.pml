/*
 * Enabled asks a guard that fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i; active proctype P() provided (i == 7) { a[i] == 0 } active proctype Q() { i = 2; end: enabled(0) }
