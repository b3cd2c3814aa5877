/*
 * A message in a d_step is not asked when there is no room.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2, x; active proctype P() { c!1; end: skip; endd: d_step { c!a[i]; x = 1 } }
