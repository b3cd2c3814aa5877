/*
 * Trace in any order.
 *
 * expect: safety holds
 * reduction: on
 */
chan a = [1] of { byte }; chan b = [1] of { byte };
trace { do :: a!1 :: b!1 od }
active proctype P() { a!1 }
active proctype Q() { b!1 }
