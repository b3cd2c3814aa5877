/*
 * D step rendezvous receive.
 *
 * expect: safety violated
 * graph: 4 states, 0 matched, 0 atomic, 1 errors
 */
chan c = [0] of { byte };
byte s;
active proctype A() { c!1; c!2; c!3 }
active proctype B() { byte v; do :: d_step { c?v; s = s + v; v = 0 } od }
