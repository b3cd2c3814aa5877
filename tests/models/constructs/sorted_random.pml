/*
 * Sorted random.
 *
 * expect: safety violated
 * graph: 140 states, 103 matched, 0 atomic, 8 errors
 */
mtype = { a, b, d };
chan c = [3] of { mtype, byte };
active proctype S() { byte i; do :: i < 3 -> i++; if :: c!!a,i :: c!!d,i fi :: else -> break od }
active proctype R() { byte v; do :: c??d,v :: c??a,3 :: c??[b,_] -> assert(false) :: c?<a,v> -> c?a,_ od }
