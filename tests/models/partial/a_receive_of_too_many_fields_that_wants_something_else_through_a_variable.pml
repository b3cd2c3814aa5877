/*
 * A receive of too many fields that wants something else through a variable.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; chan v; active proctype P() { v = c; c!1,2; end: v?2,y,3 }
