/*
 * Unless in if.
 *
 * expect: safety violated
 * graph: 22 states, 9 matched, 0 atomic, 1 errors
 */
byte x; chan c = [1] of { byte };
active proctype A() { byte v; do :: { c?v; x = v } unless { x == 2; x = 0 } od }
active proctype B() { c!1; c!2; c!3 }
