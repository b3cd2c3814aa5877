/*
 * Trace of two channels reached through parameters.
 *
 * expect: safety violated
 * reduction: on
 */
chan a = [1] of { byte }; chan b = [1] of { byte };
trace { if :: a!1; b!2 :: a!2; b!1 :: b!1; a!2 fi }
proctype P(chan c; byte n) { c!n }
init { atomic { run P(a, 1); run P(b, 2) } }
