/*
 * A send to no channel beside an escape that is not possible.
 *
 * expect: safety violated, channel
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { { u!x } unless { x == 1 } }
