/*
 * Three jobs that have nothing to do with each other.
 *
 * Each job works for a while and then flips its flag, for ever. That all of
 * them go on holds as soon as what can happen does happen: condition F is
 * enough, and fairness to processes as well.
 *
 * `all` is a property of three parts, one for each flag, so that under F the
 * order in which different jobs flip their flags does not matter and need not
 * be searched; without F only the order of the other steps does not matter.
 * `together` cannot be split, and does not hold: the jobs need not meet.
 *
 * Source: made up for the difference.
 *
 * Parameters:
 *   -D STEPS=3    steps of work before a flag is flipped
 *
 * expect: safety holds
 * expect: all violated
 * expect: together violated
 * expect-weak: all holds
 * expect-weak: together violated
 *
 * States with SPIN 6.5.2, full and reduced search:
 *   defaults       6,859        230
 */

#ifndef STEPS
#define STEPS 3
#endif

bit a, b, c;

inline job(flag)
{
	byte i;

	do
	:: i < STEPS -> i++
	:: else -> flag = 1 - flag; i = 0
	od
}

active proctype A() { job(a) }
active proctype B() { job(b) }
active proctype C() { job(c) }

ltl all      { []<> a && []<> b && []<> c }
ltl together { []<> (a && b && c) }
