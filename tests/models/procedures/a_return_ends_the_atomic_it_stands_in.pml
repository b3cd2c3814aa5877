/*
 * A return out of an atomic sequence gives up control: others move before the result is assigned.
 *
 * expect: safety violated, assertion
 */
byte g, x;

procedure take() : byte {
	atomic {
		g++;
		return g
	}
}

active proctype P() {
	x = take();
	assert(x == g)
}

active proctype Q() {
	g++
}
