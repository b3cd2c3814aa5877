/*
 * Trace that looks at a variable.
 *
 * expect: safety violated
 * reduction: off
 */
chan a = [1] of { byte };
byte n = 1;
trace { a?eval(n) }
active proctype P() { a!1; a?_ }
active proctype Q() { n = 2 }
