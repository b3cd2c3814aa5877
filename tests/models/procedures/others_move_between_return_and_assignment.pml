/*
 * The assignment of a result is a step of its own: an update is lost.
 *
 * expect: safety violated, assertion
 */
byte g, done;

procedure next() : byte {
	return g + 1
}

active [2] proctype P() {
	g = next();
	done++;
	assert(done < 2 || g == 2)
}
