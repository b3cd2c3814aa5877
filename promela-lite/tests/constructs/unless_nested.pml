/* An escape from an escape; the outer one goes first. */
byte x, y;
active proctype P() {
    { { x = 1; x = 2 } unless { y == 1 -> x = 3 } } unless { y == 2 -> x = 4 };
    atomic { x = 5; x = 6 } unless y == 3;
    do :: x == 6 -> x = 7 :: else -> break od unless { x == 7 -> skip }
}
active proctype Q() { y = 1; y = 2; y = 3 }
