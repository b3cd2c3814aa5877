/*
 * A poll of too few fields that are there.
 *
 * expect: safety holds, 5 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c?[1]; x = 1 }
