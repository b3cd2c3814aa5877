byte x;
init {
    itf :: x == 1 fi;
    atomc { x = 2 };
    gotto L;
    asert(x == 1);
    L: skip
}
