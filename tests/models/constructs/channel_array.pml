/*
 * Channel array.
 *
 * expect: safety holds
 * graph: 268 states, 333 matched, 0 atomic, 0 errors
 */
chan q[3] = [1] of { byte };
active [3] proctype P() { byte v; do :: v < 2 -> q[(_pid + 1) % 3]!v; q[_pid]?v; v++ :: else -> break od }
