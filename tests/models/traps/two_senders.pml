/*
 * Two senders.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte };
active proctype A() { c!1 }
active proctype B() { c!2 }
active proctype R() { byte v; c?v; assert(v == 2) }
