/*
 * A send to no channel beside an escape that is possible.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { { u!x } unless { x == 0 } }
