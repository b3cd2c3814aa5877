byte x;
init {
    x = 1 }
}
active proctype P() { x = 2 }
