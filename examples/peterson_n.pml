/*
 * Mutual exclusion for N processes: the generalisation of peterson.pml.
 *
 * On its way to the critical section a process climbs N-1 levels. At each one
 * it signs itself in as the latest arrival, and stays until somebody else has
 * arrived later, or everybody else is further down. So every level holds back
 * at least one process, and only one gets through the last. The others are
 * looked at one after the other, not in one indivisible step.
 *
 * Source: G. L. Peterson, "Myths about the mutual exclusion problem",
 * Information Processing Letters 12(3), 1981.
 *
 * Parameters:
 *   -D N=3     processes, at least 2
 *
 * Without fairness a process can be left alone on its way for ever while two
 * others overtake each other; under weak fairness everyone gets in.
 *
 * expect: safety holds
 * expect: enters0 violated
 * expect-weak: enters0 holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults     51,596     20,802
 *   -D N=4    8,843,939  1,821,484
 */

#ifndef N
#define N 3
#endif

byte level[N];		/* 0: not interested */
byte latest[N];		/* the latest arrival at each level; index 0 is unused */
byte inside;

active [N] proctype P()
{
	byte me = _pid;
	byte l, other;

	do
	:: l = 1;
	   do
	   :: l < N ->
climbing:
	      level[me] = l;
	      latest[l] = me;
	      other = 0;
	      do
	      :: other < N ->
	         other == me || level[other] < l || latest[l] != me;
	         other++
	      :: else -> break
	      od;
	      l++
	   :: else -> break
	   od;
	   inside++;
critical:
	   assert(inside == 1);
	   inside--;
	   level[me] = 0
	od
}

ltl enters0 { [] (P[0]@climbing -> <> P[0]@critical) }
