/*
 * Random receive.
 *
 * expect: safety violated
 * graph: 21 states, 4 matched, 0 atomic, 1 errors
 */
chan c = [3] of { byte };
active proctype S() { c!3; c!1; c!2; c!1 }
active proctype R() { byte v; c??1; c??eval(v + 2); do :: c?v -> skip :: c??1 -> break od }
