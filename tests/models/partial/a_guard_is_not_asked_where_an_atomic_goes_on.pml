/*
 * A guard is not asked where an atomic goes on.
 *
 * expect: safety holds, 7 states
 * spin: same
 */
byte a[2], i, x = 1; active proctype P() { end: a[i] == 5 } active proctype Q() { atomic { i = 2; x == 1; i = 0 } } active proctype R() { x = 1 }
