/*
 * A local index in a step that could be merged is in range.
 *
 * expect: safety holds, 30 states
 * spin: same
 */
byte x; active proctype P() { byte a[2], l, k; x = 1; l = 1; k = a[l]; x = k } active proctype Q() { byte m; m = 1; x = 3 }
