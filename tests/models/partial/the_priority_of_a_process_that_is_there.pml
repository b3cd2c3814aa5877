/*
 * The priority of a process that is there.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte i; active proctype P() { get_priority(i) == 1 }
