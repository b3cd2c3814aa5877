/*
 * Structures declared in sequence.
 *
 * expect: safety holds
 * graph: 7 states, 0 matched, 0 atomic, 0 errors
 */
typedef R { int id }; byte g; active proctype P() { g = 1; R a; R b; R c[2]; g = 2 }
