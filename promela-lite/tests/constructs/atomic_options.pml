/* Control is kept at the end of the options of a selection inside of atomic. */
byte x;
active proctype P() { atomic { if :: x == 0 -> x = 1 :: x == 1 -> x = 2 fi; do :: x > 1 -> x-- :: else -> break od } }
