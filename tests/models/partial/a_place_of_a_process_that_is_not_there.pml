/*
 * A place of a process that is not there.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 3; active proctype P() { L: end: P[i]@L }
