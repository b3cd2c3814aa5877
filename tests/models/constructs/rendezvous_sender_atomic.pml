/*
 * Rendezvous sender atomic.
 *
 * expect: safety violated
 * graph: 16 states, 6 matched, 5 atomic, 2 errors
 */
chan c = [0] of { byte };
byte x;
active proctype A() { atomic { c!1; x++; x++ }; x++ }
active [2] proctype B() { c?_; x = x + 10 }
