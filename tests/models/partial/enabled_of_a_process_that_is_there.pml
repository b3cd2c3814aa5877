/*
 * Enabled of a process that is there.
 *
 * expect: safety holds, 7 states
 * spin: same
 */
byte a[2], i; active proctype P() { i == 1; end: false } active proctype Q() { i = 1; end: enabled(0) }
