/*
 * A first deadlock: two clerks, two files, taken in opposite order.
 *
 * Each clerk needs both files to move a page from one to the other. When each
 * has taken one, both wait for ever. The checker calls this an invalid end
 * state: nothing can move, and there is a process that has not reached its end.
 * Try `-D SAME_ORDER`.
 *
 * Source: the textbook case of lock-order inversion.
 *
 * Parameters:
 *   -D SAME_ORDER    both clerks take the files in the same order; the
 *                    deadlock is gone, and both properties hold
 *
 * expect: safety violated, end-state
 * expect: finished violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults         32         29
 */

#ifdef SAME_ORDER
#define SECOND_CLERK 0, 1
#else
#define SECOND_CLERK 1, 0
#endif

bool taken[2];
byte moved;

inline take(f)    { atomic { !taken[f] -> taken[f] = true } }
inline release(f) { taken[f] = false }

proctype Clerk(byte first; byte second)
{
	take(first);
	take(second);
	moved++;
	release(second);
	release(first)
}

init
{
	atomic {
		run Clerk(0, 1);
		run Clerk(SECOND_CLERK)
	}
}

ltl finished { <> (moved == 2) }
