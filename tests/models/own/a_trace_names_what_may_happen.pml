/*
 * A trace names what may happen.
 *
 * expect: safety violated
 * finds: Trace
 */
chan c = [1] of { byte }; active proctype A() { c!1; c!2 } active proctype B() { c?_; c?_ }
trace { c!1; c!1 }
