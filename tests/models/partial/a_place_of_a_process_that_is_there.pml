/*
 * A place of a process that is there.
 *
 * expect: safety holds, 8 states
 * spin: same
 */
byte i = 0; active proctype P() { skip; L: skip } active proctype Q() { end: P[i]@L }
