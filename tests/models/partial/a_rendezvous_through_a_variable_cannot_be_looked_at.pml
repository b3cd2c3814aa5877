/*
 * A rendezvous through a variable cannot be looked at.
 *
 * expect: safety violated, polled
 * spin: same
 */
chan r = [0] of { byte }; chan v; byte x; active proctype P() { v = r; end: v?<x> }
