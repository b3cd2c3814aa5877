/*
 * A binary search tree that grows while it is searched.
 *
 * Nodes are numbered; 0 is none. To insert a key one goes down, recursively, and
 * hangs a new node below the last one: looking for the empty place and taking it
 * is one step, so that no key is lost. With `-D RACE` it is two. Searchers go
 * down without any precaution. In the end all keys are there, and in order.
 *
 * Parameters:
 *   -D INSERTERS=2   each inserts a key of its own
 *   -D SEARCHERS=1   each looks for a key that is there from the start
 *   -D RACE          looking and taking are two steps
 *
 * expect: safety holds
 */

#ifndef INSERTERS
#define INSERTERS 2
#endif
#ifndef SEARCHERS
#define SEARCHERS 1
#endif

#define ROOT 1
#define MIDDLE 4
#define KEYS 8
#define NODES (INSERTERS + 2)

byte key[NODES], left[NODES], right[NODES];
byte used = 1;
byte finished;

procedure new_node(byte k) : byte {
	byte node;

	atomic {
		used++;
		node = used;
		key[node] = k
	}
	return node
}

procedure insert(byte at; byte k; byte node) {
	byte next;

	if
	:: k < key[at] ->
#ifdef RACE
		next = left[at];
		if
		:: next == 0 -> left[at] = node; return
		:: else
		fi
#else
		atomic {
			next = left[at];
			if
			:: next == 0 -> left[at] = node
			:: else
			fi
		}
#endif
	:: else ->
#ifdef RACE
		next = right[at];
		if
		:: next == 0 -> right[at] = node; return
		:: else
		fi
#else
		atomic {
			next = right[at];
			if
			:: next == 0 -> right[at] = node
			:: else
			fi
		}
#endif
	fi;
	if
	:: next != 0 -> insert(next, k, node)
	:: else
	fi
}

procedure search(byte at; byte k) : bool {
	bool found;

	if
	:: at == 0 -> return false
	:: at != 0 && k == key[at] -> return true
	:: at != 0 && k < key[at] -> found = search(left[at], k)
	:: at != 0 && k > key[at] -> found = search(right[at], k)
	fi;
	return found
}

/* Whether all keys below lie in the range, and how many there are. */
procedure count(byte at; byte least; byte most) : byte {
	byte below, above;

	if
	:: at == 0 -> return 0
	:: else
	fi;
	assert(least <= key[at] && key[at] <= most);
	below = count(left[at], least, key[at]);
	above = count(right[at], key[at], most);
	return below + above + 1
}

proctype Inserter(byte k) {
	byte node;

	node = new_node(k);
	insert(ROOT, k, node);
	finished++
}

proctype Searcher() {
	bool found;

	found = search(ROOT, MIDDLE);
	assert(found)
}

init {
	byte i, all;

	key[ROOT] = MIDDLE;
	atomic {
		for (i : 1 .. INSERTERS) {
			run Inserter(i)
		}
		for (i : 1 .. SEARCHERS) {
			run Searcher()
		}
	}
	finished == INSERTERS;
	all = count(ROOT, 0, KEYS);
	assert(all == INSERTERS + 1)
}
