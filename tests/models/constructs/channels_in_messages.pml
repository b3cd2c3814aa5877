/*
 * Channels in messages.
 *
 * expect: safety violated
 * graph: 10 states, 0 matched, 0 atomic, 1 errors
 */
chan a = [0] of { chan, byte };
active proctype S() { chan r = [0] of { byte }; byte k; do :: k < 2 -> a!r,k; r?eval(k); k++ :: else -> break od }
active proctype T() { chan q; byte v; do :: a?q,v; q!v od }
