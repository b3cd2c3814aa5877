/*
 * A channel that travels as a parameter.
 *
 * expect: safety violated
 * reduction: on
 */
proctype W(chan k; byte n) { k!n }
proctype R(chan k) { byte v; k?v; assert(v == 1) }
init { chan d = [2] of { byte }; atomic { run W(d, 1); run W(d, 2); run R(d) } byte v; d?v }
