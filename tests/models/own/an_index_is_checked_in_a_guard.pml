/*
 * An index is checked in a guard.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: IndexOutOfRange { index: 2, len: 2 }; deadlock
 */
byte a[2], i = 2; active proctype A() { a[i] == 1 }
