/*
 * Last rendezvous.
 *
 * expect: safety holds
 * graph: 4 states, 3 matched, 0 atomic, 0 errors
 */
byte x; chan c = [0] of { bit };
active proctype P() { do :: c!1 :: x = _last; x = 0 od }
active proctype Q() { do :: c?1 od }
