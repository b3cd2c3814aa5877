/*
 * Mutual exclusion for two processes.
 *
 * Two processes take turns in a critical section with nothing but shared
 * variables that are read and written one at a time. A process announces that
 * it wants to enter, gives the other one precedence, and waits until the other
 * does not want to enter or has given the precedence back.
 *
 * Source: G. L. Peterson, "Myths about the mutual exclusion problem",
 * Information Processing Letters 12(3), 1981.
 *
 * Parameters: none.
 *
 * The assertion says that nobody is ever in the critical section with company.
 * `mutex` says the same of the program's labels. The other two say that whoever
 * waits to enter will. No fairness is needed for that: a competitor that runs
 * alone is soon blocked.
 *
 * expect: safety holds
 * expect: mutex holds
 * expect: enters0 holds
 * expect: enters1 holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults         38         38
 */

bool wants[2];
bit turn;
byte inside;

active [2] proctype P()
{
	bit me = _pid;

	do
	:: wants[me] = true;
	   turn = 1 - me;
waiting:
	   !wants[1 - me] || turn == me;
	   inside++;
critical:
	   assert(inside == 1);
	   inside--;
	   wants[me] = false
	od
}

ltl mutex   { [] !(P[0]@critical && P[1]@critical) }
ltl enters0 { [] (P[0]@waiting -> <> P[0]@critical) }
ltl enters1 { [] (P[1]@waiting -> <> P[1]@critical) }
