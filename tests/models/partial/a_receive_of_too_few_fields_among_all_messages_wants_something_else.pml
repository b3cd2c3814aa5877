/*
 * A receive of too few fields among all messages wants something else.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c??2 }
