/* A range with bounds that are computed. */
byte i, n = 3, s;
active proctype P() { for (i : 1 .. n * 2) { s = s + i; if :: i == 4 -> break :: else fi } }
