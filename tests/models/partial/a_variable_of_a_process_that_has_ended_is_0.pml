/*
 * A variable of a process that has ended is 0.
 *
 * expect: safety holds, 8 states
 * spin: same
 */
byte n; proctype P() { byte x = 5; x = 6 } init { run P(); _nr_pr == 1; n = P[1]:x; assert(n == 0) }
