/*
 * Rendezvous: both sides move.
 *
 * expect: p violated
 * expect-f: p holds
 * expect-weak: p holds
 * expect-strong: p holds
 */
chan c = [0] of { bit }; byte g;
active proctype S() { do :: c!1 od }
active proctype R() { bit b; do :: c?b od }
active proctype Q() { g = 1 }
ltl p { <> (g == 1) }
