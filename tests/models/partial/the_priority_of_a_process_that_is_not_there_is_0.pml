/*
 * The priority of a process that is not there is 0.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte i = 9; active proctype P() { get_priority(i) == 0 }
