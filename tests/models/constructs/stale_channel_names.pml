/*
 * Stale channel names.
 *
 * expect: safety holds
 * graph: 15 states, 0 matched, 0 atomic, 0 errors
 */
chan g; byte x;
proctype P() { chan own = [1] of { byte }; g = own; own!1; own?x }
init { run P(); (_nr_pr == 1); run P(); (_nr_pr == 1); x = 9 }
