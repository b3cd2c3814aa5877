/*
 * The body of a d_step fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { x = 1; a[i] = 1 } }
