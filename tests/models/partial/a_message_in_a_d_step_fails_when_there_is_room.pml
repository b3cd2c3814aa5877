/*
 * A message in a d_step fails when there is room.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte }; byte a[2], i = 2, x; active proctype P() { x = 0; endd: d_step { c!a[i]; x = 1 } }
