/*
 * What stands behind timeout is not asked while others can move.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
byte a[2], i; active proctype P() { end: (timeout && a[i] == 5) } active proctype Q() { i = 2; i = 0 }
