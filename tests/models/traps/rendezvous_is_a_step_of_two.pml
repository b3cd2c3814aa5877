/*
 * Rendezvous is a step of two.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [0] of { byte }; byte x;
active proctype A() { c!1; x = 1 }
active proctype B() { byte v; if :: c?v :: x = 2 fi; assert(x == 0) }
active proctype D() { c!2 }
