/*
 * An escape fails beside a step that is possible.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { skip } unless { a[i] == 1 } }
