/*
 * Priority run.
 *
 * expect: safety holds
 * graph: 221 states, 175 matched, 4 atomic, 0 errors
 */
byte x;
proctype w(byte k) { x = k; _priority = 1; x = k + 10 }
init { atomic { run w(1) priority 3; run w(2) priority 4; run w(3) }; x = 0 }
