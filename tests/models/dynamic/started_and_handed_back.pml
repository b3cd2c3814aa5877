/*
 * A channel that a child makes comes back in a message while the child waits.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Child(chan back) { chan own = [1] of { byte }; byte v; back!own; end: own?v; assert(v == 7) }
init { chan back = [1] of { chan }; chan c; run Child(back); back?c; c!7 }
