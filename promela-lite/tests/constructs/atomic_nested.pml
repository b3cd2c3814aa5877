/* An atomic inside an atomic, and jumps out of and between them. */
byte x;
active proctype P() {
A:  atomic { x = 1; atomic { x = 2; goto B }; x = 3 };
    x = 4;
B:  atomic { x = 5; if :: x == 5 -> goto A :: else -> break_out: x = 6 fi }
}
