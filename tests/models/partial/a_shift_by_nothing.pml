/*
 * A shift by nothing.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
short n = 0; active proctype P() { end: (1 >> n) == 3 }
