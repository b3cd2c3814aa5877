/*
 * Number of processes.
 *
 * expect: more violated
 * expect: bound holds
 * reduction: on
 */
byte g;
proctype P() { g = 1 }
init { run P(); run P(); g = 2 }
ltl more { !(<> (_nr_pr == 3 && g == 1)) }
ltl bound { [] (_nr_pr <= 3) }
