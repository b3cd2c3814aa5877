byte x;
init {
    do
    :: d_step { x = 1; break }
    :: d_step { x = 2; goto Out }
    od;
    Out: skip
}
