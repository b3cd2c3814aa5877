/*
 * An index that is used for nothing but an assignment decides which element is assigned.
 *
 * expect: safety violated, assertion
 */
byte v[2];
active proctype P() {
	byte to = 1;
	v[to] = 1;
	assert(v[1] == 0)
}
