/*
 * The number of a channel tells that the process which made it was the second of two to be started.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
active proctype S() { run Q(1) }
active proctype T() { run Q(2) }
proctype Q(byte w) { chan c = [1] of { byte }; assert(w != 1 || c < 2) }
