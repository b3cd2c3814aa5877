/*
 * An index that a process is given decides which structure is assigned.
 *
 * expect: safety violated, assertion
 */
typedef V { byte size; byte el[2] }
V v[2];
proctype Q(byte to) {
	byte i = 0;
	v[to].el[i] = 1;
	assert(v[1].el[0] == 0)
}
init { run Q(1) }
