/*
 * The body of a d_step moves the index back first.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { i = 1; a[i] = 1 } }
