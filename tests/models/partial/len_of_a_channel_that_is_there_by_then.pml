/*
 * Len of a channel that is there by then.
 *
 * expect: safety holds, 4 states
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { end: x == 1 && len(u) == 1 } active proctype Q() { u = b; x = 1 }
