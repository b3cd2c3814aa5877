/*
 * A buffered channel can be polled.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan r = [1] of { byte }; active proctype P() { end: r?[1] }
