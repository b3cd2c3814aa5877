/*
 * Trace of two channels in one order.
 *
 * expect: safety violated
 * reduction: on
 */
chan a = [1] of { byte }; chan b = [1] of { byte };
trace { a!1; b!1 }
active proctype P() { a!1 }
active proctype Q() { b!1 }
