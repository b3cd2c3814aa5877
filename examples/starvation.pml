/*
 * A liveness error: a lock that is safe and unfair.
 *
 * Two workers share one test-and-set lock. No two are ever inside together, and
 * somebody always gets in, but nothing keeps a fast worker from taking the
 * lock again and again while a slow one waits. The counterexample is a lasso:
 * a run that leads to a cycle in which the second worker never gets its turn.
 *
 * Weak fairness does not help, since each time the lock is taken the waiting
 * worker is blocked. Strong fairness would.
 *
 * Source: the textbook spin lock.
 *
 * Parameters: none.
 *
 * expect: safety holds
 * expect: mutex holds
 * expect: somebody holds
 * expect: served violated
 * expect-weak: served violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults         10         10
 */

bool locked;
byte inside;

proctype Worker()
{
	do
	:: atomic { !locked -> locked = true };
	   inside++;
work:
	   assert(inside == 1);
	   inside--;
	   locked = false
	od
}

init
{
	atomic {
		run Worker();
		run Worker()
	}
}

ltl mutex    { [] !(Worker[1]@work && Worker[2]@work) }
ltl somebody { []<> (inside > 0) }
ltl served   { []<> Worker[2]@work }
