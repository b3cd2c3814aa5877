procedure f(byte n) { assert(n > 0) }
active proctype P() { skip }
