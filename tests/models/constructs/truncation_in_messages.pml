/*
 * Truncation in messages.
 *
 * expect: safety violated
 * graph: 35 states, 17 matched, 0 atomic, 1 errors
 */
chan c = [2] of { byte, bool, short, int };
active proctype P() { int k; do :: k < 4 -> c!k * 100,k,k * 20000,k * 1000000000; k++ :: else -> break od }
active proctype Q() { int a, b, d, e; do :: c?a,b,d,e od }
