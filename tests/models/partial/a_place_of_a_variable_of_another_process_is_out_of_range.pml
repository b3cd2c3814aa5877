/*
 * A place of a variable of another process is out of range.
 *
 * expect: safety violated, index
 * spin: holds, because nothing checks the index of a remote reference
 */
byte i = 2; active proctype P() { byte b[2]; end: false } active proctype Q() { end: P[0]:b[i] == 1 }
