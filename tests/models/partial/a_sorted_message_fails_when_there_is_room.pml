/*
 * A sorted message fails when there is room.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { end: c!!a[i] }
