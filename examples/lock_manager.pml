/*
 * Locks that their owner may take again, as in monitors.
 *
 * A lock has an owner and a count of how often it was taken. A procedure that
 * holds a lock may call itself, and take the lock again. It is free when it has
 * been given back as often. With `-D FORGETFUL` it is free at once. Two locks are
 * always taken in the same order; with `-D CROSSED` they are not.
 *
 * Parameters:
 *   -D CLIENTS=2
 *   -D DEEP=2        how often a client takes a lock
 *   -D FORGETFUL     a lock is free when it is first given back
 *   -D CROSSED       a deadlock
 *
 * expect: safety holds
 */

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef DEEP
#define DEEP 2
#endif

#define NOBODY 255

byte owner[2] = NOBODY;
byte count[2];
byte inside;

procedure acquire(byte which) {
	atomic {
		owner[which] == NOBODY || owner[which] == _pid;
		owner[which] = _pid;
		count[which]++
	}
}

procedure release(byte which) {
	atomic {
		assert(owner[which] == _pid);
		count[which]--;
		if
#ifdef FORGETFUL
		:: owner[which] = NOBODY; count[which] = 0
#else
		:: count[which] == 0 -> owner[which] = NOBODY
		:: else
#endif
		fi
	}
}

/* Takes a lock at each level, and gives it back on the way up. */
procedure work(byte which; byte levels) {
	acquire(which);
	if
	:: levels > 1 -> work(which, levels - 1)
	:: else ->
		inside++;
		assert(inside == 1);
		inside--
	fi;
	release(which)
}

active [CLIENTS] proctype Client() {
	byte first;

#ifdef CROSSED
	first = _pid % 2;
#endif
	acquire(first);
	work(1 - first, DEEP);
	release(first)
}
