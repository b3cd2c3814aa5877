/* A value of a range: a choice when it is short and constant, else a loop. */
byte i, j, n = 2;
active proctype P() { select (i : 1 .. 3); select (j : 0 .. n) }
