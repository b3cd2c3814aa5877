/* Jumps forwards and backwards; a jump costs a step only where it begins an option. */
byte x;
active proctype P() {
A:  x = 1;
    if :: x == 1 -> goto B :: goto A :: else -> skip fi;
    x = 2;
    goto C;
B:  x = 3;
C:  skip
}
