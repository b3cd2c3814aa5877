/*
 * A field that one receiver ignores and another one compares.
 *
 * expect: safety violated
 */
chan c = [1] of { byte, byte }; byte n;
active proctype S() { do :: n < 3 -> n++; c!1,n :: n == 3 -> break od }
active proctype R() { byte k; end: do :: c?k,_ od }
active proctype Q() { c?1,3; assert(false) }
