/*
 * Enabled asks a guard that is guarded.
 *
 * expect: safety violated, end
 * spin: same
 */
byte a[2], i; active proctype P() provided (i == 7) { i < 2 && a[i] == 0 } active proctype Q() { i = 2; end: enabled(0) }
