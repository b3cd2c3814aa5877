/*
 * The guard of a d_step fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { a[i] == 0; x = 1 } } active proctype Q() { i = 0 }
