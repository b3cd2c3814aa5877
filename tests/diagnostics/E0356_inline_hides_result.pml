inline next(v) { int x = v; return x + 1 }
init { x = next(y) }
