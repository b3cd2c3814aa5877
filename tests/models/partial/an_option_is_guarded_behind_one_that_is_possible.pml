/*
 * An option is guarded behind one that is possible.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() { if :: i == 2 -> skip :: i < 2 && a[i] == 0 -> skip fi }
