/*
 * The guard of a d_step is guarded.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { i < 2 && a[i] == 0; x = 1 } } active proctype Q() { i = 0 }
