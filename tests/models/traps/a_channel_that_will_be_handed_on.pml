/*
 * A process will start another one and hand it the channel that it has itself been given.
 *
 * expect: safety violated, assertion
 * reduction: on
 */
proctype W(chan k; byte n) { k!n }
proctype S(chan k) { run W(k, 2) }
proctype R(chan k) { byte v; k?v; assert(v == 1) }
init { chan d = [2] of { byte }; atomic { run S(d); run W(d, 1); run R(d) } d?2 }
