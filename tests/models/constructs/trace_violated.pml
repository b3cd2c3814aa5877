/*
 * Trace violated.
 *
 * expect: safety violated
 * graph: 13 states, 0 matched, 0 atomic, 2 errors
 */
chan c = [1] of { byte };
active proctype A() { if :: c!1 :: c!2 fi; c!1 }
active proctype B() { c?_; c?_ }
trace { c!1; c?1; c!1; c?1 }
