/*
 * Structures and skips in an option.
 *
 * expect: safety holds
 * graph: 7 states, 0 matched, 0 atomic, 0 errors
 */
typedef R { int id }; active proctype P() { byte n; do :: skip; skip; R a; R b; skip; n++; break od }
