/*
 * Empty of no channel.
 *
 * expect: safety violated, channel
 * spin: same
 */
chan b = [1] of { byte }; chan u; active proctype P() { end: empty(u) }
