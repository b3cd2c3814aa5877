/*
 * A step fails below an escape that is not possible.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { a[i] == 1 } unless { i == 3 } }
