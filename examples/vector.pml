/*
 * A growable vector, and a race in the constructor that copies one.
 *
 * A vector has a size and a store of elements that grows when it is full. One
 * process copies the vector while another one clears it. The constructor asks
 * for the size first and for the elements later: if the vector is cleared in
 * between, the copy has a size but no element (0 stands for none). With
 * `-D REPAIRED` the constructor takes both under the vector's lock.
 *
 * Source: the race in a constructor of java.util.Vector reported by L. Wang and
 * S. D. Stoller, "Runtime analysis of atomicity for multithreaded programs",
 * IEEE Transactions on Software Engineering 32(2), 2006.
 *
 * Parameters:
 *   -D X=3           the element that is added
 *   -D REPAIRED      both under the lock
 *
 * expect: safety violated, assertion
 */

#ifndef X
#define X 3
#endif

#define ROOM 4

typedef Vector {
	byte size;
	byte capacity;
	byte element[ROOM]
}

Vector v[2];
bit locked;

procedure lock() {
	atomic { !locked -> locked = 1 }
}

procedure unlock() {
	locked = 0
}

/* Twice the room, as long as there is more. */
procedure grow(byte which) {
	if
	:: v[which].capacity == 0 -> v[which].capacity = 1
	:: else -> v[which].capacity = v[which].capacity * 2
	fi;
	assert(v[which].capacity <= ROOM)
}

procedure add(byte which; byte x) {
	lock();
	if
	:: v[which].size == v[which].capacity -> grow(which)
	:: else
	fi;
	v[which].element[v[which].size] = x;
	v[which].size++;
	unlock()
}

procedure clear(byte which) {
	byte i;

	lock();
	for (i : 0 .. ROOM - 1) {
		v[which].element[i] = 0
	}
	v[which].size = 0;
	unlock()
}

procedure copy_elements(byte from; byte to; byte count) {
	byte i;

	do
	:: i < count ->
		v[to].element[i] = v[from].element[i];
		i++
	:: else -> break
	od
}

procedure construct_from(byte from; byte to) {
#ifdef REPAIRED
	lock();
	v[to].size = v[from].size;
	copy_elements(from, to, v[from].size);
	unlock()
#else
	byte count;

	lock();
	count = v[from].size;
	unlock();
	v[to].size = count;
	lock();
	copy_elements(from, to, count);
	unlock()
#endif
}

proctype Clearer() {
	clear(0)
}

init {
	add(0, X);
	run Clearer();
	construct_from(0, 1);
	assert(v[1].size == 0 || v[1].element[0] == X)
}
