/*
 * Hidden scratch.
 *
 * expect: safety holds
 * graph: 18 states, 6 matched, 0 atomic, 0 errors
 */
hidden byte h; byte x;
active [2] proctype P() { h = _pid; x = x + h }
