/*
 * A buffered channel through a variable can be looked at.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan r = [1] of { byte }; chan v; byte x; active proctype P() { v = r; end: v?<x> }
