/*
 * A guard fails where provided lets the process step.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() provided (i < 3) { a[i] == 0 } active proctype Q() { i = 0 }
