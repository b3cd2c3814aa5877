/*
 * A guard is asked when the index is in range.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
byte a[2], i, x; active proctype P() { end: a[i] == 5 } active proctype Q() { i = 1; x = 1 }
