/*
 * The element that a receive would store to is not asked.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { end: c?a[i] }
