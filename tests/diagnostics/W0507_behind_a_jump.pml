byte x;

init {
    x = 1;
    goto done;
    x = 2;
    x = 3;
done:
    skip
}
