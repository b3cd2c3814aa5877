/*
 * Run and die.
 *
 * expect: safety holds
 * graph: 42 states, 22 matched, 0 atomic, 0 errors
 */
byte n;
proctype child(byte k) { byte t = k + 1; n = n + t; if :: k > 0 -> run child(k - 1) :: else fi }
init { pid p; p = run child(1); run child(0); (_nr_pr == 1); assert(p == 1); n = 0 }
