/*
 * A local variable is read by nothing but an index that is in range.
 *
 * expect: safety holds, 18 states
 * spin: same
 */
byte a[2], x; active proctype P() { byte l; l = 1; x = 1; printf("%d", a[l]) } active proctype Q() { x = 3 }
