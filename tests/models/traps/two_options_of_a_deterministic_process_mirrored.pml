/*
 * A process that must be deterministic has one option after another.
 *
 * expect: safety holds
 * reduction: on
 */
byte x, y;
active D_proctype P() { if :: x == 1 -> skip :: x == 2 -> skip fi }
active proctype Q() { x = 1 }
active proctype R() { y = 1; x = 2 }
