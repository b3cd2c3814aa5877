/*
 * Whether two channels are the same tells nothing about their numbers.
 *
 * expect: safety holds
 * reduction: on
 */
active proctype S() { chan c = [1] of { byte }; run Q(c, 1) }
active proctype T() { chan c = [1] of { byte }; run Q(c, 2) }
proctype Q(chan k; byte w) { chan c = [1] of { byte }; assert(c != k && c != 0); c = k; assert(c == k); c!w; k?eval(w) }
