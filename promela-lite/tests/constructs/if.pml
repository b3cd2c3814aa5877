/* A choice; one option may be else. */
byte x;
active proctype P() { if :: x == 0 -> x = 1 :: x = 2 :: else -> skip fi; if :: x == 1 fi }
