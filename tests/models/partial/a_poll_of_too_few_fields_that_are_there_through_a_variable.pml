/*
 * A poll of too few fields that are there through a variable.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; chan v; active proctype P() { v = c; c!1,2; end: v?[1]; x = 1 }
