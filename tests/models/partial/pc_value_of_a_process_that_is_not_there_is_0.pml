/*
 * Pc_value of a process that is not there is 0.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte i = 9; active proctype P() { pc_value(i) == 0 }
