/*
 * Local channels.
 *
 * expect: safety violated
 * graph: 13 states, 3 matched, 1 atomic, 1 errors
 */
chan home = [1] of { chan };
proctype client(byte k) { chan mine = [1] of { byte }; byte v; home!mine; mine?v; assert(v == k) }
proctype server() { chan c; byte i; do :: home?c -> i++; c!i; if :: i == 2 -> break :: else fi od }
init { atomic { run server(); run client(1) }; (_nr_pr == 1) -> run client(1) }
