/*
 * Quicksort by procedures that call themselves and processes that they start.
 *
 * The part of an array left of the pivot is sorted by a new process, the part
 * right of it by a recursive call; both parts are disjoint, so no lock is needed.
 * With `-D HASTY` a process does not wait for the ones it has started.
 *
 * Parameters:
 *   -D N=4           elements, in reverse order at the start
 *   -D HASTY         nobody waits
 *
 * expect: safety holds
 */

#ifndef N
#define N 4
#endif

byte a[N];
chan done = [N] of { byte };

/* Puts the first element where it belongs; says where that is. */
procedure partition(short lo; short hi) : short {
	short at, i;
	byte pivot, other;

	pivot = a[lo];
	at = lo;
	for (i : lo + 1 .. hi) {
		if
		:: a[i] < pivot ->
			at++;
			other = a[at];
			a[at] = a[i];
			a[i] = other
		:: else
		fi
	}
	a[lo] = a[at];
	a[at] = pivot;
	return at
}

procedure sort(short lo; short hi) {
	short middle;
	byte one;

	if
	:: lo >= hi -> return
	:: else
	fi;
	middle = partition(lo, hi);
	one = run Sorter(lo, middle - 1);
	sort(middle + 1, hi);
#ifndef HASTY
	done??eval(one)
#endif
}

proctype Sorter(short lo; short hi) {
	sort(lo, hi);
	done!_pid
}

init {
	byte i;

	for (i : 0 .. N - 1) {
		a[i] = N - i
	}
	sort(0, N - 1);
	for (i : 1 .. N - 1) {
		assert(a[i - 1] <= a[i])
	}
}
