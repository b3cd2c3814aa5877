/*
 * An argument of run fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; proctype P(byte p) { skip } init { run P(a[i]) }
