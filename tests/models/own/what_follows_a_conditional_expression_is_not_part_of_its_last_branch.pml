/*
 * What follows a conditional expression is not part of its last branch.
 *
 * expect: safety holds
 * graph: 5 states
 * finds: nothing
 */
byte a, b, n; active proctype A() { ((a == 1) -> a : b) <= n; n = (a == 0 -> b : n) + n; assert(n == 0) }
