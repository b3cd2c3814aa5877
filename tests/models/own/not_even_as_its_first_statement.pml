/*
 * Not even as its first statement.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: RendezvousInDStep; deadlock
 */
chan c = [0] of { bit }; byte x;
active proctype A() { d_step { c!1 }; x = 1 } active proctype B() { c?1 }
