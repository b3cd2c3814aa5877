/*
 * Trace of two channels in the other order.
 *
 * expect: safety violated
 * reduction: on
 */
chan a = [1] of { byte }; chan b = [1] of { byte };
trace { b!1; a!1 }
active proctype P() { a!1 }
active proctype Q() { b!1 }
