byte g;
procedure f(byte a) { g = a }
active proctype P() {
	d_step { f(1); g = 2 };
	{ g = 1; f(2) } unless { g == 3 }
}
never { f(1) }
