/*
 * Receive into array.
 *
 * expect: safety violated
 * graph: 15 states, 5 matched, 0 atomic, 1 errors
 */
chan c = [2] of { byte, byte }; byte a[3];
active proctype S() { c!1,7; c!2,8; c!0,9 }
active proctype R() { byte i, v; do :: c?v,a[i] -> i = (i + v) % 3 :: a[2] == 9 -> break od }
