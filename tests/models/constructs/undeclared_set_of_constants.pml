/*
 * Undeclared set of constants.
 *
 * expect: safety holds
 * graph: 5 states, 0 matched, 0 atomic, 0 errors
 */
mtype:colour c; byte n; active proctype P() { c = 3; n = c; assert(n == 3) }
