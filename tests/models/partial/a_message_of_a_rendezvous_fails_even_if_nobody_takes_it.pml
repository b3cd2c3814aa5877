/*
 * A message of a rendezvous fails even if nobody takes it.
 *
 * expect: safety violated, index
 * spin: same
 */
chan r = [0] of { byte }; byte a[2], i = 2; active proctype P() { end: r!a[i] }
