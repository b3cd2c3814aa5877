byte x;
init {
    do
    :: x == 1 -> break
    :: else -> x = 1
    fi;
    x = 2
}
