/*
 * Priorities.
 *
 * expect: safety violated
 * graph: 7 states, 0 matched, 0 atomic, 1 errors
 */
byte x;
active proctype lo() priority 1 { x = 1; x = 2; x = 3 }
active proctype mid() priority 5 { x == 2 -> x = 10; x = 11 }
active proctype hi() priority 10 { x > 1 -> x = 20 }
