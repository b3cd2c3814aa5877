/*
 * Structures declared in an inline.
 *
 * expect: safety holds
 * graph: 5 states, 0 matched, 0 atomic, 0 errors
 */
typedef R { int id }; byte g; inline f() { R a; R b; g++ } active proctype P() { do :: f(); break od }
