/*
 * A process that waits in a procedure waits at no valid end, unless a label in the procedure says so.
 *
 * expect: safety violated
 */
byte g;

procedure wait_for(byte n) {
	if
	:: n > 1 -> wait_for(n - 1)
	:: n == 1 -> g == 7
	:: else ->
end:		g == 8
	fi
}

active proctype P() {
	wait_for(0)
}

active proctype Q() {
	wait_for(3)
}
