/*
 * A shift too far.
 *
 * expect: safety violated, shift
 * spin: holds, because the processor uses the lowest bits of the distance
 */
byte n = 40, x; active proctype P() { end: (1 << n) == 3 }
