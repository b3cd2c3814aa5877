/*
 * A formula that counts processes: SPIN counts the claim.
 *
 * expect: p holds
 */
active proctype P() { end: false } ltl p { [] (_nr_pr == 1) }
