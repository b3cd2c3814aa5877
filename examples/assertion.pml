/*
 * A lost update: two processes add to one counter without protection.
 *
 * Each reads the counter, adds one to what it read, and writes the sum back.
 * If both read before either writes, one addition is lost, and the assertion
 * at the end fails. Try `-D LOCKED`.
 *
 * Source: the textbook data race.
 *
 * Parameters:
 *   -D LOCKED    read and write in one indivisible step; the assertion
 *                holds
 *   -D N=2       processes
 *
 * expect: safety violated, assertion
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults         42         42
 */

#ifndef N
#define N 2
#endif

#ifdef LOCKED
#define INDIVISIBLE atomic
#else
#define INDIVISIBLE
#endif

byte counter;
byte finished;

active [N] proctype Adder()
{
	byte seen;

	INDIVISIBLE {
		seen = counter;
		counter = seen + 1
	};
	finished++
}

active proctype Auditor()
{
	finished == N;
	assert(counter == N)
}
