/*
 * A channel that travels in a message.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [1] of { chan }; chan d = [1] of { byte };
active proctype A() { c!d; d!1 }
active proctype B() { chan k; c?k; k!2 }
active proctype R() { byte v; d?v; assert(v == 1) }
