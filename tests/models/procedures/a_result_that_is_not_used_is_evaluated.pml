/*
 * The result of a call is evaluated whether it is used or not.
 *
 * expect: safety violated, division
 */
byte zero;

procedure share(int n) : int {
	return n / zero
}

active proctype P() {
	share(3)
}
