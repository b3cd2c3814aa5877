/*
 * Another sender.
 *
 * options: --no-end-check
 * expect: safety violated, xs
 * says: another process has declared `xs`: only it
 */
chan c = [2] of { byte }; byte g;
active proctype S() { xs c; c!1 }
active proctype T() { g = 1; c!2 }
active proctype R() { byte v; c?v; c?v }
