/*
 * Uneven scopes.
 *
 * expect: safety holds
 * graph: 9 states, 0 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() { byte v = 2; if :: { byte w = 5; x = w }; x = x + v :: { int w; w = w + x; x = w + 1 } fi }
