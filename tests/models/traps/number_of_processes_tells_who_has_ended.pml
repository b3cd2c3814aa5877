/*
 * Number of processes tells who has ended.
 *
 * expect: safety violated
 * expect: low violated
 * reduction: on
 */
byte n;
proctype A() { skip }
active proctype P() { n = _nr_pr; assert(n != 3) }
init { run A(); run A() }
ltl low { [] (n != 1) }
