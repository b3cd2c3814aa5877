/*
 * A guard is not asked inside an atomic of another process.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i, x; active proctype P() { end: a[i] == 5 } active proctype Q() { atomic { i = 2; x = 1; i = 0 } }
