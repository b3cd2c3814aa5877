/*
 * A Bluetooth driver that is stopped while threads use it.
 *
 * Adders perform I/O, stoppers stop the driver. `pending` counts the threads in
 * the driver, and one for the driver itself; who takes it to 0 fires the event
 * that stoppers wait for. Nobody may perform I/O when the driver has stopped.
 *
 * Version 1 looks at the flag before it counts itself in: one adder and one
 * stopper are enough to go wrong. Version 2 counts first, but counts itself out
 * twice when the flag is set: it takes two adders. Version 3 counts out once,
 * and goes wrong with two stoppers.
 *
 * Source: S. Qadeer and D. Wu, "KISS: keep it simple and sequential", PLDI 2004;
 * versions 2 and 3 as in D. Suwimonteerabuth, J. Esparza and S. Schwoon,
 * "Symbolic context-bounded analysis of multithreaded Java programs", SPIN 2008.
 *
 * Parameters:
 *   -D VERSION=1     1, 2 or 3
 *   -D ADDERS=1
 *   -D STOPPERS=1
 *
 * expect: safety violated, assertion
 */

#ifndef VERSION
#define VERSION 1
#endif
#ifndef ADDERS
#define ADDERS 1
#endif
#ifndef STOPPERS
#define STOPPERS 1
#endif

short pending = 1;
bool flag, event, stopped;

procedure decrement() {
	short left;
	atomic {
		pending--;
		left = pending
	}
	if
	:: left == 0 -> event = true
	:: else
	fi
}

/* Whether the caller may go on. */
procedure increment() : bool {
#if VERSION == 1
	if
	:: flag -> return false
	:: else
	fi;
	pending++;
	return true
#else
	pending++;
	if
	:: flag ->
		decrement();
		return false
	:: else ->
		return true
	fi
#endif
}

active [ADDERS] proctype Adder() {
	bool allowed;

	allowed = increment();
	if
	:: allowed ->
		assert(!stopped);	/* performs I/O */
#if VERSION == 3
		decrement()
#endif
	:: else
	fi;
#if VERSION != 3
	decrement()
#endif
end:	skip
}

active [STOPPERS] proctype Stopper() {
	flag = true;
	decrement();
end:	event;
	stopped = true
}
