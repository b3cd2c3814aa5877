/*
 * An atomic sequence does not stop where a partner for its rendezvous waits from the beginning.
 *
 * expect: safety holds
 * reduction: on
 */
chan c = [0] of { byte }; byte x;
active proctype P() { atomic { x = 1; c!1 } }
active proctype Q() { byte v; atomic { c?v; x = 0 } }
active proctype R() { assert(x == 0) }
