/*
 * Rendezvous in atomic.
 *
 * expect: safety holds
 * graph: 696 states, 513 matched, 541 atomic, 0 errors
 */
chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;
active proctype A() { atomic { x++; c!1; x++; d?_; x = 0 } }
active proctype B() { byte v; atomic { c?v; x = x + 10; d!2; x++ }; x++ }
active proctype C() { do :: x < 30 -> x++ :: x > 11 -> break od }
