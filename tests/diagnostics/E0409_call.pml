procedure f(byte a; byte b) { assert(a < b) }
active proctype P() { f(1) }
