/*
 * A rendezvous cannot be polled.
 *
 * expect: safety violated, polled
 * spin: same
 */
chan r = [0] of { byte }; active proctype P() { end: r?[1] }
