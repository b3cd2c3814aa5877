/*
 * A receive of too many fields of an offer wants something else.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan c = [0] of { byte, byte }; byte x, y, z; active proctype P() { end: c!1,2 } active proctype Q() { end: c?2,y,z }
