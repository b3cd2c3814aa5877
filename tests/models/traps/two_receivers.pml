/*
 * Two receivers.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte }; byte got;
active proctype S() { c!1; c!2 }
active proctype A() { byte v; c?v; got = v }
active proctype B() { byte v; c?v; assert(v != 2) }
