/*
 * What stands beside a rendezvous is possible until a partner comes.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [0] of { byte };
active proctype P() { if :: c!1 :: else -> assert(false) fi }
active proctype Q() { byte v; end: v = 1; c?v }
