procedure insert(byte k) { assert(k > 0) }
active proctype P() { inset(1); Q(2); f(3) }
