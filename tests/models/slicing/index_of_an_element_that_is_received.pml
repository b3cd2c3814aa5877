/*
 * An index decides which element a received value goes to.
 *
 * expect: safety violated, assertion
 */
chan c = [1] of { byte };
byte v[2];
active proctype P() {
	byte to = 1;
	c!7;
	c?v[to];
	assert(v[1] == 0)
}
