/*
 * A process will start another one and hand it a channel of its own.
 *
 * expect: safety holds
 * reduction: on
 */
proctype W(chan k; byte n) { k!n }
proctype S(chan k) { chan own = [1] of { byte }; run W(own, 2); own?_ }
proctype R(chan k) { byte v; k?v; assert(v == 1) }
init { chan d = [2] of { byte }; atomic { run S(d); run W(d, 1); run R(d) } }
