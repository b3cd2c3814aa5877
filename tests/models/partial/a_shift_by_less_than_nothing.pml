/*
 * A shift by less than nothing.
 *
 * expect: safety violated, shift
 * spin: holds, because the processor uses the lowest bits of the distance
 */
short n = -1; active proctype P() { end: (1 >> n) == 3 }
