/*
 * A place of a variable of another process is in range.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 1; active proctype P() { byte b[2]; end: false } active proctype Q() { end: P[0]:b[i] == 1 }
