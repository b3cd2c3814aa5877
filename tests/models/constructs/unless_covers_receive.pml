/*
 * Unless covers receive.
 *
 * expect: safety violated
 * graph: 12 states, 2 matched, 0 atomic, 1 errors
 */
chan c = [0] of { byte };
byte n;
active proctype A() { { c?_; c?_; n = 5 } unless { n == 1 -> n = 2 } }
active proctype S() { c!1; n = 1; c!2 }
