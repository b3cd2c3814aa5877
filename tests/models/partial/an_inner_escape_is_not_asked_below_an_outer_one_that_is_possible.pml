/*
 * An inner escape is not asked below an outer one that is possible.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { { a[i] == 1 } unless { a[i] == 2 } } unless { i == 2 } }
