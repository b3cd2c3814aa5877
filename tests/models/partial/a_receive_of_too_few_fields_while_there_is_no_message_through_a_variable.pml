/*
 * A receive of too few fields while there is no message through a variable.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; chan v; active proctype P() { v = c; end: v?2 }
