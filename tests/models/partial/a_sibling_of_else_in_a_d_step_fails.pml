/*
 * A sibling of else in a d_step fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { x = 1; if :: a[i] == 0 -> x = 2 :: else -> x = 3 fi } }
