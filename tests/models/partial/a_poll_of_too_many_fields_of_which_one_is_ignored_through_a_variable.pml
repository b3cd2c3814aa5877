/*
 * A poll of too many fields of which one is ignored through a variable.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; chan v; active proctype P() { v = c; c!1,2; end: v?[1,2,_]; x = 1 }
