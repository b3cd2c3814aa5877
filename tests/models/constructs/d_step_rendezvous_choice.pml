/*
 * D step rendezvous choice.
 *
 * expect: safety violated
 * graph: 12 states, 2 matched, 0 atomic, 2 errors
 */
chan c = [0] of { byte };
chan d = [0] of { byte };
byte s;
active proctype A() { c!1; c!2; d!3 }
active proctype D() { d!4 }
active proctype B() { byte v; do :: d_step { if :: c?v -> s = s + v :: d?v -> s = v fi; v = 0 } od }
