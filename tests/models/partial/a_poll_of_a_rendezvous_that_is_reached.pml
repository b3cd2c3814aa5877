/*
 * A poll of a rendezvous that is reached.
 *
 * expect: safety violated, polled
 * spin: same
 */
chan r = [0] of { byte }; byte x; active proctype P() { end: (x == 0 && r?[1]) }
