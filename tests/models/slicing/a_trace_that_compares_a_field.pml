/*
 * A trace looks at a field that no process reads.
 *
 * expect: safety violated
 */
chan c = [1] of { byte, byte }; byte n;
trace { do :: c!1,0 :: c!1,1 :: c?1,0 :: c?1,1 od }
active proctype S() { do :: n < 3 -> c!1,n; n++ :: n == 3 -> break od }
active proctype R() { end: do :: c?_,_ od }
