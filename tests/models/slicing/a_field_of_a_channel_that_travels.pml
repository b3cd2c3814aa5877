/*
 * The field is compared at the other end of a channel that was sent along.
 *
 * expect: safety violated, assertion
 */
chan a = [1] of { byte, byte }; chan b = [1] of { byte, byte }; chan x = [1] of { chan };
active proctype S() { byte n = 4; x!b; b!1,n; a!1,0 }
active proctype R() { chan y; byte k; x?y; if :: y?1,4 -> assert(false) :: a?k,_ fi }
