/*
 * Cycles inside of procedures, and properties along them.
 *
 * expect: safety holds
 * expect: often violated
 * expect: low holds
 * expect-weak: often holds
 */
bit on;
byte level;

procedure blink(byte d) {
	do
	:: d > 0 ->
		level = d;
		blink(d - 1);
		break
	:: else ->
progress:	on = 1 - on
	od
}

active proctype P() {
	blink(3)
}

active proctype Q() {
	do
	:: level > 5 -> level = 0
	:: level <= 5 -> level = level
	od
}

ltl often { [] <> (on == 1) }
ltl low { [] (level <= 3) }
