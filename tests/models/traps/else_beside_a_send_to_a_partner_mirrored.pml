/*
 * What stands beside a rendezvous is not possible if a partner waits from the beginning.
 *
 * expect: safety holds
 * reduction: on
 */
chan c = [0] of { byte };
active proctype P() { if :: c!1 :: else -> assert(false) fi }
active proctype Q() { byte v; end: c?v }
