/*
 * Mutual exclusion by taking tickets, as at a baker's counter.
 *
 * A customer takes a ticket whose number is larger than all it can see, then
 * waits for everyone with a smaller one; equal tickets, which can happen since
 * numbers are read one by one, are settled by the customers' own numbers. While
 * a customer is picking, others wait before they compare.
 *
 * Source: L. Lamport, "A new solution of Dijkstra's concurrent programming
 * problem", Communications of the ACM 17(8), 1974.
 *
 * Ticket numbers can grow without bound as long as the counter is busy; here
 * every customer comes ROUNDS times and goes home, which bounds them.
 *
 * Parameters:
 *   -D N=2         customers
 *   -D ROUNDS=2    how often each one comes
 *
 * Every run is finite, so `allserved` needs no fairness.
 *
 * expect: safety holds
 * expect: allserved holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                8,309      4,764
 *   -D N=3 -D ROUNDS=1    123,921     42,265
 *   -D ROUNDS=6           185,117    106,350
 *   -D ROUNDS=10          828,133    475,984
 */

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

bool picking[N];
byte ticket[N];		/* 0: not waiting */
byte inside;
byte gone;

active [N] proctype Customer()
{
	byte me = _pid;
	byte round, k, largest;

	do
	:: round < ROUNDS ->
	   picking[me] = true;
	   largest = 0;
	   k = 0;
	   do
	   :: k < N ->
	      if
	      :: ticket[k] > largest -> largest = ticket[k]
	      :: else
	      fi;
	      k++
	   :: else -> break
	   od;
	   ticket[me] = largest + 1;
	   picking[me] = false;

	   k = 0;
	   do
	   :: k < N ->
	      !picking[k];
	      ticket[k] == 0 || ticket[k] > ticket[me] ||
	         (ticket[k] == ticket[me] && k >= me);
	      k++
	   :: else -> break
	   od;

	   inside++;
	   assert(inside == 1);
	   inside--;
	   ticket[me] = 0;
	   largest = 0;
	   round++
	:: else -> break
	od;
	gone++
}

ltl allserved { <> (gone == N) }
