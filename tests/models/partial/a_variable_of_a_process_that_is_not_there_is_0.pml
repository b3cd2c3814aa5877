/*
 * A variable of a process that is not there is 0.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 3; active proctype P() { byte x = 1; end: P[i]:x == 1 }
