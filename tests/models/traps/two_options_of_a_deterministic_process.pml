/*
 * A process that must be deterministic has two options, but only after two others have moved.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, y;
active D_proctype P() { if :: x == 1 -> skip :: y == 1 -> skip fi }
active proctype Q() { x = 1 }
active proctype R() { y = 1 }
