/*
 * Provided fails.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2; active proctype P() provided (a[i] == 0) { skip }
