/*
 * A message of a rendezvous that nobody takes.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 1; active proctype P() { end: r!a[i] }
