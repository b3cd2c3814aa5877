/*
 * Unless rendezvous send.
 *
 * expect: safety violated
 * graph: 13 states, 1 matched, 0 atomic, 1 errors
 */
chan c = [0] of { byte };
chan stop = [0] of { bit };
byte n;
active proctype A() { { do :: n < 2 -> n++ od } unless { stop!1 }; n = 9 }
active proctype K() { n == 1; stop?_ }
active proctype L() { if :: stop?0 :: n == 9 fi }
