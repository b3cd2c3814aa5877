/*
 * A guard fails beside a process that can move.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { end: a[i] == 5 } active proctype Q() { i = 0; x = 1 }
