/*
 * A buffered channel can be looked at.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan r = [1] of { byte }; byte x; active proctype P() { end: r?<x> }
