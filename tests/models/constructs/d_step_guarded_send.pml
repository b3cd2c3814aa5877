/*
 * D step guarded send.
 *
 * expect: safety violated
 * graph: 30 states, 12 matched, 0 atomic, 5 errors
 */
chan c = [2] of { byte };
byte s;
active proctype A() { byte i; do :: i < 3 -> d_step { nfull(c) -> c!i; i++ } :: else -> break od }
active proctype B() { byte v; do :: d_step { c?v; s = s + v } :: d_step { if :: c?[2] -> c?v :: full(c) -> c?_; c?_; s = 0 fi } od }
