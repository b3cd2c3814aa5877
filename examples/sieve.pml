/*
 * The sieve of Eratosthenes as a pipeline of N+1 processes.
 *
 * A source sends 2, 3, 4, ... down the pipeline. Each of the N sieves keeps the
 * first number it gets, which is a prime, and passes on what that prime does
 * not divide. So the k-th sieve keeps the k-th prime. The source stops once it
 * has sent the N-th prime and EXTRA numbers more.
 *
 * Source: Eratosthenes' method; as a program of communicating processes it is
 * folklore since M. D. McIlroy's coroutines (1968). A sieve with N+1 processes
 * is among the experiments in D. Peled, "Combining partial order reductions
 * with on-the-fly model checking" (1996).
 *
 * Parameters:
 *   -D N=6        how many primes, 2 to 12
 *   -D B=2        numbers that fit between two neighbours
 *   -D EXTRA=0    numbers that the source sends after the N-th prime
 *
 * Numbers travel in order and every channel has one sender and one receiver,
 * so the result does not depend on the interleaving: this is the reduction's
 * best case.
 *
 * expect: safety holds
 * expect: progress holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults                       4,305         94
 *   -D N=9                       119,731        200
 *   -D N=10                      710,645        259
 *   -D N=7 -D B=4 -D EXTRA=10    699,683        216
 */

#ifndef N
#define N 6
#endif
#ifndef B
#define B 2
#endif
#ifndef EXTRA
#define EXTRA 0
#endif

/* The N-th prime, to check the answer with. */
#define NTH (N == 2 -> 3 : (N == 3 -> 5 : (N == 4 -> 7 : (N == 5 -> 11 : \
            (N == 6 -> 13 : (N == 7 -> 17 : (N == 8 -> 19 : (N == 9 -> 23 : \
            (N == 10 -> 29 : (N == 11 -> 31 : 37))))))))))

proctype Source(chan right)
{
	xs right;
	byte n = 2;

	do
	:: n <= NTH + EXTRA ->
	   right!n;
	   n++
	:: else -> break
	od
}

proctype Sieve(chan left; chan right)
{
	xr left;
	xs right;
	byte prime, n;

	left?prime;
end:
	do
	:: left?n ->
	   if
	   :: n % prime != 0 -> right!n
	   :: else
	   fi
	od
}

/* The last sieve has nobody to pass numbers on to. */
proctype Last(chan left)
{
	xr left;
	byte prime;

	left?prime;
	assert(prime == NTH);
end:
m:	do
	:: left?_
	od
}

init
{
	chan c[N] = [B] of { byte };
	byte i;

	atomic {
		run Last(c[N - 1]);
		i = N - 1;
		do
		:: i > 0 ->
		   run Sieve(c[i - 1], c[i]);
		   i--
		:: else -> break
		od;
		run Source(c[0])
	}
}

ltl progress { []<> Last@m }
