/*
 * Printf is a step.
 *
 * expect: safety holds
 * graph: 30 states, 14 matched, 0 atomic, 0 errors
 */
byte x;
active proctype A() { printf("a\n"); x = 1; printf("b %d\n", x) }
active proctype B() { x = 2; skip; x = 3 }
