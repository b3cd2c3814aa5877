byte x;
init {
    atomic { A: x = 1 };
    d_step { B: x = 1 };
    { C: x = 2 };
    x = 3 unless D: x = 4
}
