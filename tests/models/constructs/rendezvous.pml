/*
 * Rendezvous.
 *
 * expect: safety holds
 * graph: 9 states, 22 matched, 0 atomic, 0 errors
 */
chan c = [0] of { byte };
active [2] proctype S() { do :: c!_pid od }
active [2] proctype R() { byte v; do :: c?v -> v = 0 :: c?1 od }
