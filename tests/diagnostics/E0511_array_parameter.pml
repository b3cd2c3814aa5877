proctype P(byte a[2]) { a[0]++ }
init { run P(1) }
