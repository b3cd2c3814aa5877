/*
 * A poll of a rendezvous that is not reached.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan r = [0] of { byte }; byte x; active proctype P() { end: (x == 1 && r?[1]) }
