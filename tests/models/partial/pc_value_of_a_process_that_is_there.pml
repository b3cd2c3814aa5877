/*
 * Pc_value of a process that is there.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 1; active proctype P() { end: pc_value(i) == 0 } active proctype Q() { end: false }
