byte x;
init { if :: 2 > 3 -> x = 1 :: 1 + 1 -> x = 2 fi }
