/*
 * Two of a kind.
 *
 * options: --no-end-check
 * expect: safety violated, xs
 * says: another process has declared `xs`: only it
 */
chan c = [1] of { byte };
active [2] proctype S() { xs c; c!1 }
active proctype R() { byte v; c?v; c?v }
