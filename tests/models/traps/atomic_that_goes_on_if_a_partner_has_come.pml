/*
 * An atomic sequence stops in its middle where no partner for a rendezvous has come yet.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [0] of { byte }; byte x;
active proctype P() { atomic { x = 1; c!1 } }
active proctype Q() { byte v; v = 1; atomic { c?v; x = 0 } }
active proctype R() { assert(x == 0) }
