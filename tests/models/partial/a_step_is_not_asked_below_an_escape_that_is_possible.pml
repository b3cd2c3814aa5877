/*
 * A step is not asked below an escape that is possible.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { a[i] == 1 } unless { i == 2 } }
