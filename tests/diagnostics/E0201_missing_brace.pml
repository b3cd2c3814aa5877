byte x;
proctype P() {
    x = 1;
    x = 2

init {
    run P()
}
