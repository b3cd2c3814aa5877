/*
 * Recursion without a bound.
 *
 * `walk` turns the switch, may call itself, and turns the switch back: whatever
 * happens below, it finds the switch as it has left it. There is no depth at which
 * it has to stop, so a search that follows calls to some depth never sees all.
 * With `-D BROKEN` the innermost call forgets to turn the switch back.
 *
 * Parameters:
 *   -D BROKEN        the switch is not turned back
 *
 * expect: safety inconclusive
 */

bit switch;

procedure walk(bit before) {
	assert(switch == before);
	switch = 1 - before;
	if
	:: walk(1 - before)
	:: skip
#ifdef BROKEN
	:: return
#endif
	fi;
	assert(switch == 1 - before);
	switch = before
}

active proctype Walker() {
	walk(0);
	assert(switch == 0)
}
