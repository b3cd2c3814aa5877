/* Assertions with and without parentheses. */
byte x;
active proctype P() { assert(x == 0); assert x < 2 }
