byte x;
init {
    do
    :: x == 1 -> break
    :: else -> x = 1
}
