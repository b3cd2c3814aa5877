/*
 * A sibling of else fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { if :: a[i] == 0 -> skip :: else fi }
