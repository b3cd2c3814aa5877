proctype P(byte a = 1) { a++ }
init { run P(1) }
