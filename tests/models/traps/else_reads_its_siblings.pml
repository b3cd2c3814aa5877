/*
 * Else reads its siblings.
 *
 * expect: safety violated
 * reduction: on
 */
byte x;
active proctype P() { if :: x == 1 -> skip :: else -> assert(false) fi }
active proctype Q() { x = 1 }
