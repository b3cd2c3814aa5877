/*
 * Atomic end.
 *
 * expect: safety holds
 * graph: 27 states, 9 matched, 15 atomic, 0 errors
 */
byte x;
proctype K() { atomic { x++; x++ } }
init { atomic { run K(); run K(); x = 5 }; x = 6 }
