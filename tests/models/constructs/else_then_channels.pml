/*
 * Else then channels.
 *
 * expect: safety violated
 * graph: 10 states, 0 matched, 0 atomic, 1 errors
 */
chan c = [0] of { byte }; byte x;
active proctype A() { do :: c?1 -> x = 1 :: else -> x = 2; c?2; break od }
active proctype B() { c!1; c!2 }
