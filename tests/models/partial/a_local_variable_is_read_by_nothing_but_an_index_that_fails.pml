/*
 * A local variable is read by nothing but an index that fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], x; active proctype P() { byte l; l = 2; x = 1; printf("%d", a[l]) } active proctype Q() { x = 3 }
