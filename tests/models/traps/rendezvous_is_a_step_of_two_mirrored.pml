/*
 * Rendezvous is a step of two mirrored.
 *
 * expect: safety holds
 * reduction: on
 */
chan c = [0] of { byte }; byte x;
active proctype A() { c!1; x = 1 }
active proctype B() { byte v; c?v; assert(x <= 1); c?v }
active proctype D() { c!2 }
