/*
 * Structures in messages.
 *
 * expect: safety violated
 * graph: 14 states, 6 matched, 0 atomic, 2 errors
 */
typedef msg { byte a; byte b };
chan c = [1] of { msg, byte };
active proctype S() { msg m; m.a = 1; m.b = 2; do :: c!m,3 :: m.a++; m.a > 2 -> break od }
active proctype R() { msg n; byte k; do :: c?n,k -> assert(n.b == 2) od }
