/* The steps of one process without others between them, while it can go on. */
byte x;
active proctype P() { atomic { x = 1; x == 1; x = 2 }; x = 3 }
