/* Jumps inside of a d_step. */
byte x;
active proctype P() {
    d_step { x++; if :: x == 3 -> goto M :: else fi; x = x * 2; M: x = x % 7 }
}
