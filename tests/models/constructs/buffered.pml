/*
 * Buffered.
 *
 * expect: safety holds
 * graph: 65 states, 40 matched, 0 atomic, 0 errors
 */
chan c = [2] of { byte, short };
active proctype S() { byte i; do :: i < 4 -> c!i,-i; i++ :: i == 4 -> break od }
active proctype R() { byte a; short b; do :: c?a,b -> assert(a + b == 0) :: timeout -> break od }
