/*
 * Eval in receive.
 *
 * expect: safety violated
 * graph: 39 states, 16 matched, 0 atomic, 5 errors
 */
chan c = [2] of { byte, byte };
active [2] proctype A() { byte v; do :: c!_pid,v :: c?eval(1 - _pid),v -> v++; v > 2 -> break od }
