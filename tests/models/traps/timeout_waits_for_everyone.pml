/*
 * Timeout waits for everyone.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, y;
active proctype T() { timeout -> assert(x == 1 && y == 0) }
active proctype P() { x = 1 }
active proctype Q() { y = 1 }
