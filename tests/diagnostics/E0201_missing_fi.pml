byte x;
init {
    if
    :: x == 1 -> x = 2
    :: else -> skip;
    x = 3
}
active proctype P() { x = 4 }
