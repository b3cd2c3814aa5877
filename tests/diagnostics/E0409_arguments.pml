proctype P(byte a; byte b) { a = b }
init {
    run P(1);
    run P(1, 2, 3)
}
