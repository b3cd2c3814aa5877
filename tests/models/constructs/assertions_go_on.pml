/*
 * Assertions go on.
 *
 * expect: safety violated
 * graph: 21 states, 12 matched, 0 atomic, 7 errors
 */
byte x;
active [2] proctype P() { x++; assert(x == 1); x = x + 2 }
