/*
 * The guard of an atomic is guarded.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { atomic { i < 2 && a[i] == 0; x = 1 } } active proctype Q() { i = 0 }
