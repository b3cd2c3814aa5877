/*
 * Dynamic rendezvous.
 *
 * expect: safety violated
 * graph: 9 states, 0 matched, 0 atomic, 1 errors
 */
chan a = [0] of { byte }; chan b = [0] of { byte };
active proctype S() { chan c; if :: c = a :: c = b fi; c!1; c!2 }
active proctype R() { byte v; do :: a?v :: b?v; b?2; break od }
