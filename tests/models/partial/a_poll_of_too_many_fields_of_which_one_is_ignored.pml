/*
 * A poll of too many fields of which one is ignored.
 *
 * expect: safety holds, 5 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c?[1,2,_]; x = 1 }
