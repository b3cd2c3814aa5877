/*
 * A d_step that blocks behind its first statement is an error.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: BlockedInDStep
 */
byte x; active proctype A() { d_step { x = 1; x == 2; x = 3 } }
