chan c = [1] of { byte };
procedure f() {
	chan own = [1] of { byte };
	xr c;
	c!1
}
active proctype P() { f() }
