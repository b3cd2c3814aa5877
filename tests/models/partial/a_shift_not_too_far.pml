/*
 * A shift not too far.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte n = 31, x; active proctype P() { end: (1 << n) == 3 }
