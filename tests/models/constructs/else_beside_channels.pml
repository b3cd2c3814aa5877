/*
 * Else beside channels.
 *
 * expect: safety holds
 * graph: 55 states, 61 matched, 0 atomic, 0 errors
 */
chan c = [1] of { bit };
chan r = [0] of { bit };
byte x;
active proctype A() { do :: c!1 -> x = 1 :: r!1 -> x = 2 :: else -> x = 3 od }
active proctype B() { do :: c?1 :: r?1 :: else -> x = 4 od }
