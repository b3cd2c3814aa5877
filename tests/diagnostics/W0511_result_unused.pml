procedure f(byte n) : byte { return n }
active proctype P() { f(2) }
