/*
 * There may be more than 255 processes.
 *
 * expect: safety violated
 * graph: 1803 states
 * finds: deadlock
 */
byte n; proctype P(byte k) { chan own = [1] of { byte }; (false); own!k }
init { short i; do :: i < 600 -> run P(i); i++ :: else -> break od; (_nr_pr == 601) -> (false) }
