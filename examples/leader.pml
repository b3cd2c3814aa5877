/*
 * Leader election in a ring where messages travel one way.
 *
 * Every node knows its own number, all numbers differ, and the largest one
 * shall become the leader. Some nodes start by themselves, the others wake up
 * when a message comes by. A node sends its number on; a larger number it
 * forwards, a smaller one it swallows. The node that gets its own number back
 * has been seen by all, and tells the ring.
 *
 * Source: E. Chang and R. Roberts, "An improved algorithm for decentralized
 * extrema-finding in circular configurations of processes", Communications of
 * the ACM 22(5), 1979.
 *
 * Parameters:
 *   -D N=5       nodes in the ring
 *   -D B=N       messages that fit on a link
 *   -D STEP=1    the node at position i has number (i * STEP) mod N + 1; N and
 *                STEP must have no common divisor. STEP=1 makes the numbers
 *                grow along the ring, STEP=N-1 makes them fall: the case with
 *                the most messages
 *
 * Each link has one sender and one receiver, and says so (`xs`, `xr`): the
 * model is a good subject for the reduction.
 *
 * expect: safety holds
 * expect: elected holds
 * expect: only holds
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults              8,931        162
 *   -D STEP=4            23,834        272
 *   -D N=6 -D STEP=5    223,921        613
 *   -D N=7              341,203        364
 */

#ifndef N
#define N 5
#endif
#ifndef B
#define B N
#endif
#ifndef STEP
#define STEP 1
#endif

mtype = { candidate, elected_is };

byte leaders;
byte informed;

proctype Node(chan in; chan out; byte number)
{
	xr in;
	xs out;
	byte n;
	bool running;		/* has this node entered its own number? */

	if
	:: running = true;
	   out!candidate(number)
	:: number != N		/* the largest one always starts: somebody must */
	fi;

	do
	:: in?candidate(n) ->
	   if
	   :: n > number ->
	      running = true;
	      out!candidate(n)
	   :: n < number ->
	      if
	      :: !running ->
	         running = true;
	         out!candidate(number)
	      :: else
	      fi
	   :: n == number ->
	      leaders++;
	      assert(number == N);
	      out!elected_is(number)
	   fi
	:: in?elected_is(n) ->
	   assert(n == N);
	   informed++;
	   if
	   :: n != number -> out!elected_is(n)
	   :: else
	   fi;
	   break
	od
}

init
{
	chan link[N] = [B] of { mtype, byte };
	byte i;

	atomic {
		i = 0;
		do
		:: i < N ->
		   run Node(link[i], link[(i + 1) % N], (i * STEP) % N + 1);
		   i++
		:: else -> break
		od
	}
}

ltl elected { <> (leaders == 1 && informed == N) }
ltl only    { [] (leaders <= 1) }
