/*
 * Remote references.
 *
 * expect: safety violated
 * graph: 36 states, 16 matched, 0 atomic, 1 errors
 */
byte x;
active [2] proctype P() { byte v; v = 3;
L: x++; v = 4 }
active proctype W() { (P[0]@L && P[1]:v == 4) -> x = 50 }
