/* Conditional expressions. */
byte x, y;
active proctype P() { x = (y > 0 -> 1 : (x == 1 -> 2 : 3)); ((x == 1 -> y : x) > 0) }
