/*
 * Receive match.
 *
 * expect: safety holds
 * graph: 45 states, 48 matched, 0 atomic, 0 errors
 */
mtype = { red, green };
chan c = [3] of { mtype, byte };
active proctype S() { do :: c!red(1) :: c!green(2) od }
active proctype R() { byte v; do :: c?red(v) -> assert(v == 1) :: c?green,eval(v + 1) :: c?_,2 od }
