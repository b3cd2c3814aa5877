/* Two locks that are always taken in the same order. */
bit a, b; byte x;
active [3] proctype P() { byte k; do :: k < 2 -> atomic { !a -> a = 1 }; atomic { !b -> b = 1 }; x++; assert(x == 1); x--; b = 0; a = 0; k++ :: else -> break od }
