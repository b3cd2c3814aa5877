/*
 * Hidden.
 *
 * expect: safety holds
 * graph: 12 states, 1 matched, 0 atomic, 0 errors
 */
hidden byte h; byte x;
active proctype P() { do :: h = h + 1; x = (x + h) % 4; h = 0 od }
