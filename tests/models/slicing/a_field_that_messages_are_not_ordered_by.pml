/*
 * The mirror: they come as they were sent.
 *
 * expect: safety holds
 */
chan c = [2] of { byte, byte };
active proctype P() { byte k; c!2,1; c!1,2; c?_,k; assert(k != 2) }
