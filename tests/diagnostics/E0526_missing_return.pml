procedure sign(int n) : int {
	if
	:: n < 0 -> return -1
	:: n > 0 -> return 1
	:: n == 0
	fi
}
active proctype P() { int x; x = sign(3) }
