/* A jump to a d_step as a whole enters it at its start. */
byte x;
active proctype P() {
L:  d_step { x++; x = x % 7 };
    do :: x > 3 -> break :: else -> goto L od;
    d_step { x = 0; x = 1 }
}
