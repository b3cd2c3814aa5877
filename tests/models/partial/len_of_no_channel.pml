/*
 * Len of no channel.
 *
 * expect: safety violated, channel
 * spin: same
 */
chan b = [1] of { byte }; chan u; byte x; active proctype P() { end: len(u) == 1 } active proctype Q() { u = b }
