/*
 * A receive of too few fields of an offer.
 *
 * expect: safety violated, fields
 * spin: same
 */
chan c = [0] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2 } active proctype Q() { c?x }
