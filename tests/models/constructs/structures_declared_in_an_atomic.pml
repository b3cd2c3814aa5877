/*
 * Structures declared in an atomic.
 *
 * expect: safety holds
 * graph: 7 states, 2 matched, 6 atomic, 0 errors
 */
typedef R { int id }; byte g; active proctype P() { byte n; do :: atomic { R a; R b; n = 2 }; break od } active proctype Q() { g++ }
