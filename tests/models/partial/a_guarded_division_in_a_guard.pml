/*
 * A guarded division in a guard.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte n = 6, d; active proctype P() { end: d != 0 && n / d == 1 } active proctype Q() { d = 2 }
