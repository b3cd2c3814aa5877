/* Claims may have names; then there can be several. */
byte x;
active proctype P() { x = 1 }
never first { do :: x == 0 od }
never second { do :: assert(x < 2) od }
