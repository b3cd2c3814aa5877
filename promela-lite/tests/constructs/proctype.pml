/* A process type with parameters of several types, started by run. */
proctype P(byte a; int b, c; chan q) { a = b + c; q!a }
init { chan q = [1] of { byte }; run P(1, 2, 3, q) }
