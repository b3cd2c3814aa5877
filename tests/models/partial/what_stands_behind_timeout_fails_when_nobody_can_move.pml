/*
 * What stands behind timeout fails when nobody can move.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i; active proctype P() { end: (timeout && a[i] == 5) } active proctype Q() { end: i == 0; i = 1; i = 2; false }
