/*
 * Starts that nobody can tell apart.
 *
 * expect: safety violated
 * expect: both violated
 * reduction: on
 */
byte n;
proctype A() { n++ }
proctype B() { assert(n != 2); n = n * 2 }
init { run A(); run B(); run A() }
ltl both { [] (n != 3) }
