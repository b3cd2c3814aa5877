/*
 * A sibling of else is guarded.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() { if :: i < 2 && a[i] == 0 -> skip :: else fi }
