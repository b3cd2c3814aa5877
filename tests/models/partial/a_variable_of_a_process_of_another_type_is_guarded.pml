/*
 * A variable of a process of another type is guarded.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 1; active proctype P() { byte x = 1; end: i == 0 && P[i]:x == 7 } active proctype Q() { byte z[3]; end: z[1] == 1 }
