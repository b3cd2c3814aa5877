/*
 * The first option of a d_step fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { if :: a[i] == 0 -> x = 2 :: i == 2 -> x = 1 fi } }
