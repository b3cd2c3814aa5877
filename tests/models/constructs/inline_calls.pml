/*
 * Inline calls.
 *
 * expect: safety holds
 * graph: 57 states, 42 matched, 0 atomic, 0 errors
 */
byte x;
inline bump(v, n) { byte t = n; v = v + t; assert(v < 9) }
active [2] proctype A() { bump(x, 1); bump(x, 2) }
