/*
 * Nothing to reduce: every step of every process reads and writes the same
 * variable, so that no two steps commute.
 *
 * Made to measure what looking for ample sets in vain costs.
 *
 * Parameters:
 *   -D N=4         processes
 *   -D LIMIT=60    the shared counter runs up to this
 *   -D PLACES=8    steps in the round of a process
 *
 * expect: safety holds
 * expect: progress violated
 */

#ifndef N
#define N 4
#endif
#ifndef LIMIT
#define LIMIT 60
#endif

byte counter;

inline up()   { counter = (counter + 1) % LIMIT }
inline down() { counter = (counter + LIMIT - 1) % LIMIT }

active [N] proctype Process()
{
	do
	:: up(); up(); down();
m:	   up(); down(); up(); up(); down()
	od
}

ltl progress { []<> Process[0]@m }
