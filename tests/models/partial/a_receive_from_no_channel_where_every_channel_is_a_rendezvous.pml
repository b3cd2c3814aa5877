/*
 * A receive from no channel where every channel is a rendezvous.
 *
 * expect: safety violated, channel
 * spin: holds, because SPIN does not look at the channel before there is an offer
 */
chan b = [0] of { byte }; chan u; byte x; active proctype P() { end: u?x }
