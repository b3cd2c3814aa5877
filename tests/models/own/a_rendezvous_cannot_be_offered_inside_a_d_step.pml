/*
 * A rendezvous cannot be offered inside a d_step.
 *
 * expect: safety violated
 * finds: RendezvousInDStep
 */
chan c = [0] of { bit }; byte x;
active proctype A() { d_step { x = 1; c!1 } } active proctype B() { c?1 }
