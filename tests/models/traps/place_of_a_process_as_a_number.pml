/*
 * Where a process is, as a number.
 *
 * expect: safety violated
 * reduction: on
 */
byte x;
active proctype A() { byte v; v = 1; v = 2; v = 3 }
active proctype C() { assert(pc_value(0) == pc_value(0) && pc_value(0) < 3) }
