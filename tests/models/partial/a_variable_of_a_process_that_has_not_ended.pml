/*
 * A variable of a process that has not ended.
 *
 * expect: safety violated, assertion
 * spin: same
 */
byte n; proctype P() { byte x = 5; x = 6 } init { run P(); n = P[1]:x; assert(n == 0) }
