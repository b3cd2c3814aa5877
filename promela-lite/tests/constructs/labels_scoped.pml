/* A label of the same name in another block; a label at the end of a block. */
byte x;
active proctype P() {
    { goto L; x = 1; L: x = 2 };
    { goto L; x = 3; L: x = 4 };
    if :: x == 4 -> goto E :: else fi;
    x = 5;
E:
}
