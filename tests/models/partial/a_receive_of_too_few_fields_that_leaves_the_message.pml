/*
 * A receive of too few fields that leaves the message.
 *
 * expect: safety holds, 5 states
 * spin: same
 */
chan c = [1] of { byte, byte }; byte x, y, z; active proctype P() { c!1,2; end: c?<x>; assert(x == 1) }
