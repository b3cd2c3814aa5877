/*
 * Pids reused.
 *
 * expect: safety holds
 * graph: 1058 states, 1274 matched, 0 atomic, 0 errors
 */
byte n;
proctype K(byte a) { chan c = [1] of { byte }; c!a; c?n }
init { byte i; do :: i < 3 -> i++; if :: run K(i) :: _nr_pr < 3 -> run K(i + 10) fi :: else -> break od }
