/*
 * Provided of a process that can do nothing else holds.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i; active proctype P() provided (a[i] == 0) { end: false } active proctype Q() { i = 1 }
