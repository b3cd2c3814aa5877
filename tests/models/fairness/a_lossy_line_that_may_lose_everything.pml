/*
 * A lossy line that may lose everything.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p violated
 * expect-strong: p holds
 */
chan c = [1] of { bit }; byte got;
active proctype S() { do :: nfull(c) -> c!1 od }
active proctype L() { bit b; do :: c?b od }
active proctype R() { bit b; do :: c?b -> got = 1 od }
ltl p { <> (got == 1) }
