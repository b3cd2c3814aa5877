/*
 * A variable of a process that is there.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte i; active proctype P() { byte x = 1; end: P[i]:x == 1 }
