/*
 * A receive of too few fields while there is no message.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { end: c?2 }
