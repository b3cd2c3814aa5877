/*
 * A receive from a channel that is there where every channel is a rendezvous.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan b = [0] of { byte }; chan u; byte x; active proctype P() { u = b; end: u?x }
