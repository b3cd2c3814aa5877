/*
 * Frames of calls are apart: arrays with computed indices, structures, messages and d_steps in procedures.
 *
 * expect: safety holds
 */
typedef Pair { byte first; byte second[3] }

chan c = [4] of { byte, byte };

procedure sum(Pair p; byte upto) : byte {
	byte seen[3] = 7;
	byte i, rest;

	d_step {
		i = 0;
		do
		:: i < upto -> seen[i] = p.second[i]; i++
		:: else -> break
		od
	}
	if
	:: upto == 0 -> return p.first
	:: else
	fi;
	rest = sum(p, upto - 1);
	assert(seen[upto - 1] == p.second[upto - 1] && (upto == 3 || seen[upto] == 7));
	return rest + seen[upto - 1]
}

procedure exchange(chan to; byte n) : byte {
	byte got[4];
	byte at;

	if
	:: n == 0 -> return 0
	:: else
	fi;
	at = n;
	to!n,at;
	assert(to?[eval(n),_]);
	d_step { to??eval(n),got[at]; at = got[at] };
	at = exchange(to, n - 1);
	assert(got[n] == n && at == n - 1);
	return n
}

/* A frame that begins where the one of its process does. */
procedure first(byte x; byte y) : short {
	byte a[2];

	a[x % 2] = y;
	return a[x % 2] - 300
}

active proctype Adder() {
	Pair p;
	byte all;

	p.first = 1;
	p.second[0] = 2;
	p.second[1] = 3;
	p.second[2] = 4;
	all = sum(p, 3);
	assert(all == 10);
	all = exchange(c, 3);
	assert(all == 3 && len(c) == 0)
}

active proctype Bare() {
	_ = first(1, 2);
	_ = first(0, 3)
}

short low;

active proctype Low() {
	low = first(1, 44);
	assert(low == -256)
}
