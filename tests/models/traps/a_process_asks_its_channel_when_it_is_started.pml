/*
 * A process asks its channel when it is started.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [1] of { byte };
proctype A(chan d) { byte x = len(d); assert(x == 0) }
active proctype Q() { c!1; do :: true od }
init { run A(c) }
