/* Procedures: parameters, results, local variables, recursion, calls in atomic, returns. */
typedef Pair { byte first; byte second[2] }

int total;
Pair shared;

procedure twice(int n) : int {
	return n + n
}

procedure down(byte level; Pair p) {
	byte seen[3] = 1;
	int value;

	seen[level % 3] = p.second[level % 2];
	if
	:: level == 0 -> return
	:: else
	fi;
	atomic {
		value = twice(level);
		total = total + value
	}
	atomic { down(level - 1, p) }
	up(level)
}

procedure up(byte procedure) {
	do
	:: procedure > 0 -> procedure--
	:: else -> break
	od
}

active proctype P() {
	shared.second[1] = 3;
	down(2, shared);
	_ = twice(total)
}
