/*
 * Unless rendezvous.
 *
 * expect: safety violated
 * graph: 25 states, 9 matched, 0 atomic, 2 errors
 */
chan c = [0] of { byte };
chan stop = [0] of { bit };
byte n;
active proctype A() { byte v; { do :: c?v -> n = v od } unless { stop?1 }; n = 9 }
active proctype S() { c!1; c!2 }
active proctype K() { stop!1 }
