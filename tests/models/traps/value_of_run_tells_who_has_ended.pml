/*
 * Value of run tells who has ended.
 *
 * expect: safety violated
 * expect: low violated
 * reduction: on
 */
byte n;
proctype A() { skip }
init { run A(); n = run A(); assert(n != 2) }
ltl low { [] (n != 1) }
