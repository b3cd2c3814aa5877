/*
 * The same, with the element that is not assigned.
 *
 * expect: safety holds
 */
byte v[2];
active proctype P() {
	byte to = 1;
	v[to] = 1;
	assert(v[0] == 0)
}
