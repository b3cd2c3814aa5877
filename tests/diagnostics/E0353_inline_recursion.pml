inline f(n) { f(n) }
init { f(1) }
