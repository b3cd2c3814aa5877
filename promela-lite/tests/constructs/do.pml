/* A loop, left by break. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 2 -> break :: else -> break od; x = 0 }
