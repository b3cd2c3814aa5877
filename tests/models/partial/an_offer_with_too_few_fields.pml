/*
 * An offer with too few fields.
 *
 * expect: safety violated, fields
 * spin: same
 */
chan c = [0] of { byte, byte }; byte x, y, z; active proctype P() { c!1 } active proctype Q() { c?x,y }
