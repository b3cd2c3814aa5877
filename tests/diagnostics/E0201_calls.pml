procedure f(byte n) : byte { return n }
proctype Q() { skip }
active proctype P() {
	byte x;
	x = 1 + f(2);
	byte y = f(3);
	Q()
}
