/*
 * A guard is not asked where provided forbids the step.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() provided (i < 2) { a[i] == 0 } active proctype Q() { i = 0 }
