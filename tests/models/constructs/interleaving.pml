/*
 * Interleaving.
 *
 * expect: safety holds
 * graph: 145 states, 92 matched, 0 atomic, 0 errors
 */
byte x;
active [3] proctype P() { byte t; t = x; x = t + 1 }
