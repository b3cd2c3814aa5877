/*
 * Eight workers that have nothing to do with each other but for a shared board,
 * on which each writes the phase it is in: a million states, for measuring
 * searches under fairness. Nobody is ever blocked, so a worker stands still for
 * ever only where nobody asks for fairness.
 *
 * Parameters:
 *   -D EVEN=6    phases of the workers with even numbers
 *   -D ODD=5     phases of the others
 */

#ifndef EVEN
#define EVEN 6
#endif
#ifndef ODD
#define ODD 5
#endif

byte phase[8];

active [8] proctype Worker()
{
	do
	:: phase[_pid] = (phase[_pid] + 1) % (_pid % 2 -> ODD : EVEN)
	od
}

ltl works { []<> (phase[0] == 1) }
