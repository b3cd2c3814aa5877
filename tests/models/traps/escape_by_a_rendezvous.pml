/*
 * Escape by a rendezvous.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [0] of { byte }; byte y;
active proctype A() { byte v; { y = 1; y = 2; y = 3 } unless { c?v -> assert(y != 2) } }
active proctype B() { c!1 }
