/*
 * An impossible priority for a process that is not there.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte i = 9; active proctype P() { set_priority(i, 300) }
