/*
 * The same without atomic: others see what the procedure does.
 *
 * expect: safety violated, assertion
 */
byte g;

procedure bump(byte n) {
	if
	:: n > 0 ->
		g++;
		bump(n - 1);
		g--
	:: else
	fi
}

active proctype P() {
	bump(3)
}

active proctype Q() {
	assert(g == 0)
}
