/*
 * A sorted message is not asked when there is no room.
 *
 * expect: safety holds, 2 states
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2; active proctype P() { c!!1; end: c!!a[i] }
