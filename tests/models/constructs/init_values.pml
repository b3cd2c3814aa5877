/*
 * Init values.
 *
 * expect: safety holds
 * graph: 18 states, 3 matched, 0 atomic, 0 errors
 */
byte a = 3; byte b = 4; int c[3] = 7; bool t = true; short neg = -5; mtype = { one, two }; mtype m = two; chan q = [1] of { mtype };
proctype P(byte k; mtype z) { byte l = k + b; m = z; c[1] = l; neg = neg + l }
init { q!m; run P(a, one); q?m }
