/*
 * Stray comment end.
 *
 * expect: safety holds
 * graph: 4 states, 0 matched, 0 atomic, 0 errors
 */
byte n; active proctype P() { n = 1; */ n = 2 }
