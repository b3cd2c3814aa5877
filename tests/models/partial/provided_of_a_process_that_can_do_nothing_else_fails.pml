/*
 * Provided of a process that can do nothing else fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i; active proctype P() provided (a[i] == 0) { end: false } active proctype Q() { i = 2 }
