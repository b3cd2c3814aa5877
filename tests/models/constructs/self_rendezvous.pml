/*
 * Self rendezvous.
 *
 * expect: safety holds
 * graph: 3 states, 0 matched, 0 atomic, 0 errors
 */
chan a = [0] of { byte };
active proctype S() { do :: a!1 :: a?1 :: break od }
