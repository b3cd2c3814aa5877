/*
 * Arrays declared in an option.
 *
 * expect: safety holds
 * graph: 5 states, 0 matched, 0 atomic, 0 errors
 */
active proctype P() { byte n; do :: byte a[2]; byte b[2]; n = 2; break od }
