/*
 * Sorted send.
 *
 * expect: safety holds
 * graph: 37 states, 9 matched, 0 atomic, 0 errors
 */
chan c = [3] of { byte, byte };
active proctype S() { c!!3,1; c!!1,2; c!!2,0; c!!1,1 }
active proctype R() { byte a, b; do :: c?a,b :: timeout -> break od }
