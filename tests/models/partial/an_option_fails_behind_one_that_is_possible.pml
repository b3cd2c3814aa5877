/*
 * An option fails behind one that is possible.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { if :: i == 2 -> skip :: a[i] == 0 -> skip fi }
