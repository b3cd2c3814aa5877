/*
 * An index is checked in an assignment.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: IndexOutOfRange { index: -1, len: 2 }
 */
byte a[2]; short i = -1; active proctype A() { a[i] = 1 }
