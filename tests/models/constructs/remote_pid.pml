/*
 * Remote pid.
 *
 * expect: safety violated
 * graph: 150 states, 130 matched, 0 atomic, 5 errors
 */
byte x;
proctype P(byte k) { byte v = k; x = v; M: v++; x = v }
init { pid a; a = run P(3); run P(5); P[a]@M; assert(P[a]:v <= 4); x = 77 }
