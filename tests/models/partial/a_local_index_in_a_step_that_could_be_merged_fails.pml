/*
 * A local index in a step that could be merged fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte x; active proctype P() { byte a[2], l, k; x = 1; l = 2; k = a[l]; x = k } active proctype Q() { byte m; m = 1; x = 3 }
