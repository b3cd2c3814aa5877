/*
 * A receive of too many fields that wants something else.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c?2,y,3 }
