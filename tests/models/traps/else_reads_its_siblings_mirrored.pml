/*
 * Else reads its siblings mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
byte x;
active proctype P() { x == 1; if :: x == 1 -> skip :: else -> assert(false) fi }
active proctype Q() { x = 1 }
