/*
 * An invalid end state behind a rendezvous, breadth first.
 *
 * expect: safety violated
 */
chan c = [0] of { bit }; active proctype S() { c!1; c!1 } active proctype R() { bit b; c?b }
