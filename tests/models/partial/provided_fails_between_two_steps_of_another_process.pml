/*
 * Provided fails between two steps of another process.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i, x; active proctype P() provided (a[i] == 0) { end: false } active proctype Q() { i = 2; x = 1; i = 0 }
