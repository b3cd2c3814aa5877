/*
 * Timeout waits for everyone mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
byte x, y;
active proctype T() { timeout -> assert(x == 1 && y == 1) }
active proctype P() { x = 1 }
active proctype Q() { y = 1 }
