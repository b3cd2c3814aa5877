/*
 * Options of a d_step behind one that is possible are not asked.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { if :: i == 2 -> x = 1 :: a[i] == 0 -> x = 2 fi } }
