/*
 * Sorted send changes the head.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [3] of { byte };
active proctype S() { c!!2 }
active proctype T() { c!!1 }
active proctype R() { byte v; c?v; assert(v != 1); c?v; assert(v != 1) }
