byte x, y;
init {
    (x = 1);
    if
    :: (y = 2) -> skip
    :: x == 1 && y = 3 -> skip
    fi
}
