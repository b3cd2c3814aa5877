/*
 * End labels.
 *
 * expect: safety holds
 * graph: 7 states, 1 matched, 0 atomic, 0 errors
 */
chan c = [1] of { bit };
active proctype A() { end: do :: c?1 od }
active proctype B() { c!1; c!1 }
