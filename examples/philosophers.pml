/*
 * The dining philosophers, with forks that are processes.
 *
 * A philosopher needs the fork to the left and the one to the right. A fork is
 * handed out and handed back in a rendezvous. If everybody takes the left one
 * first, all can end with one fork in hand, waiting for ever: a deadlock.
 * With `-D ORDERED` the last philosopher takes the right one first, and the
 * circle of waiting cannot close: the safety check holds. A given philosopher
 * may still starve, for want of fairness.
 *
 * Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes",
 * Acta Informatica 1, 1971; told with five plates by C. A. R. Hoare.
 *
 * Parameters:
 *   -D N=4        philosophers, and as many forks
 *   -D ORDERED    deadlock-free
 *
 * expect: safety violated, end-state
 * expect: eats violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                 537        207
 *   -D ORDERED               562        208
 *   -D N=7                72,293     11,259
 *   -D N=8 -D ORDERED    379,354     42,688
 */

#ifndef N
#define N 4
#endif

#define RIGHT(i) ((i + 1) % N)

chan take[N] = [0] of { byte };
chan put[N]  = [0] of { byte };
bool eating[N];

proctype Fork(byte f)
{
	byte who;

end:
	do
	:: take[f]?who ->
	   put[f]?eval(who)
	od
}

proctype Philosopher(byte me; byte first; byte second)
{
	do
	:: take[first]!me;
	   take[second]!me;
	   eating[me] = true;
	   assert(!eating[RIGHT(me)] && !eating[(me + N - 1) % N]);
	   eating[me] = false;
	   put[first]!me;
	   put[second]!me
	od
}

init
{
	byte i;

	atomic {
		i = 0;
		do
		:: i < N ->
		   run Fork(i);
		   i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N - 1 ->
		   run Philosopher(i, i, RIGHT(i));
		   i++
		:: else -> break
		od;
#ifdef ORDERED
		run Philosopher(i, RIGHT(i), i)
#else
		run Philosopher(i, i, RIGHT(i))
#endif
	}
}

ltl eats { []<> eating[0] }
