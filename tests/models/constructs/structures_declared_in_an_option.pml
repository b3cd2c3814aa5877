/*
 * Structures declared in an option.
 *
 * expect: safety holds
 * graph: 6 states, 0 matched, 0 atomic, 0 errors
 */
typedef R { int id }; active proctype P() { int n; n = 1; do :: R a; R b; n = 2; break od }
