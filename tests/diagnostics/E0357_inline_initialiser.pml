inline next(v) { return v + 1 }
init { int x = next(y) }
