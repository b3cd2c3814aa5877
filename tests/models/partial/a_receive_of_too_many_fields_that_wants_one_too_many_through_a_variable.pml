/*
 * A receive of too many fields that wants one too many through a variable.
 *
 * expect: safety violated, fields
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; chan v; active proctype P() { v = c; c!1,2; end: v?x,y,3 }
