/*
 * The mirror: a second process is counted.
 *
 * expect: p violated
 */
active proctype P() { run Q(); end: false } proctype Q() { skip } ltl p { [] (_nr_pr == 1) }
