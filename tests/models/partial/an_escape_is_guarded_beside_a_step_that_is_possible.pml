/*
 * An escape is guarded beside a step that is possible.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte a[2], i = 2; active proctype P() { { skip } unless { i < 2 && a[i] == 1 } }
