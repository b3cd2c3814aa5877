/*
 * An inner escape fails below an outer one that is not possible.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { { i == 2 } unless { a[i] == 2 } } unless { i == 3 } }
