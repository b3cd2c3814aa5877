/*
 * A call inside of an atomic sequence keeps control until it returns, whatever it calls; here as its last statement, too.
 *
 * expect: safety holds
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
	atomic { bump(3); g = 0 };
	atomic { skip; bump(2) }
}

active proctype Q() {
	do
	:: g != 0 -> assert(false)
	:: timeout -> break
	od
}
