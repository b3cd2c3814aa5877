/*
 * For over nothing.
 *
 * expect: safety holds
 * graph: 6 states, 0 matched, 0 atomic, 0 errors
 */
byte i, n; active proctype P() { for (i : 0 .. 1-2) { n++ }; assert(n == 0); n = 5 }
