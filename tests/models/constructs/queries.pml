/*
 * Queries.
 *
 * expect: safety holds
 * graph: 34 states, 19 matched, 0 atomic, 0 errors
 */
chan c = [2] of { bit };
active proctype S() { do :: nfull(c) -> c!1 od }
active proctype R() { byte n; do :: full(c) -> c?_ :: nempty(c) && n < 2 -> c?_; n++ :: len(c) == 1 && empty(c) -> assert(false) od }
