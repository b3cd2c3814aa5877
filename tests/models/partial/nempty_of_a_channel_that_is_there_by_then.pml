/*
 * Nempty of a channel that is there by then.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan b = [1] of { byte }; chan u; active proctype P() { u = b; end: nempty(u) }
