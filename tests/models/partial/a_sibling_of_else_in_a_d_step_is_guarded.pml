/*
 * A sibling of else in a d_step is guarded.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype P() { d_step { x = 1; if :: i < 2 && a[i] == 0 -> x = 2 :: else -> x = 3 fi } }
