/*
 * D step counts as a whole.
 *
 * expect: safety violated
 * reduction: on
 */
byte x;
active proctype A() { byte l; d_step { l = 1; x = 1; x = 2 } }
active proctype B() { byte v; v = x; assert(v != 2) }
