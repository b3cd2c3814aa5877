/*
 * An observer of emptiness.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte }; byte g;
active proctype S() { c!1 }
active proctype R() { byte v; c?v; g = 1 }
active proctype O() { nempty(c) -> assert(g == 1) }
