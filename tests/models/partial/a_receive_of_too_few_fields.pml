/*
 * A receive of too few fields.
 *
 * expect: safety violated, fields
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c?x }
