/*
 * A guard fails where an atomic of another process blocks.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i, x; active proctype P() { end: a[i] == 5 } active proctype Q() { atomic { i = 2; x == 1; i = 0 } } active proctype R() { x = 1 }
