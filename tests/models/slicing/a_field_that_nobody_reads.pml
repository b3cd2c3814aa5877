/*
 * The mirror: nobody reads the second field, nor what it is made of.
 *
 * expect: safety holds
 */
chan c = [1] of { byte, byte }; byte n;
active proctype S() { do :: c!1,n; n = (n + 1) % 4 od }
active proctype R() { byte k, u; do :: c?k,u od }
active proctype Q() { byte k; do :: c?k,_; assert(k == 1) od }
