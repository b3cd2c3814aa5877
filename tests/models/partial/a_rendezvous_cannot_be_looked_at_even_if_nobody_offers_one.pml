/*
 * A rendezvous cannot be looked at, even if nobody offers one.
 *
 * expect: safety violated, polled
 * spin: same
 */
chan r = [0] of { byte }; byte x; active proctype P() { end: r?<x> }
