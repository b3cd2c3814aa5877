/*
 * Enabled of a process that is not there.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte a[2], i; active proctype P() { end: enabled(9) }
