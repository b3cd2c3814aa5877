/*
 * A rendezvous message is cut to the type of the field, then to that of the variable.
 *
 * expect: safety holds
 * finds: nothing
 */
chan c = [0] of { byte };
active proctype S() { c!300 }
active proctype R() { int x; c?x; assert(x == 44) }
