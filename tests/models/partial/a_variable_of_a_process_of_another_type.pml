/*
 * A variable of a process of another type.
 *
 * expect: safety violated, pid
 * spin: holds, because SPIN reads the bytes of the other process as if they were the variable
 */
byte i = 1; active proctype P() { byte x = 1; end: P[i]:x == 7 } active proctype Q() { byte z[3]; end: z[1] == 1 }
