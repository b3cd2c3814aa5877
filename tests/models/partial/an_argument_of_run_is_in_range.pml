/*
 * An argument of run is in range.
 *
 * expect: safety holds, 5 states
 * spin: same
 */
byte a[2], i = 1; proctype P(byte p) { skip } init { run P(a[i]) }
