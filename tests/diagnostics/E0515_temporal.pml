byte x;
init { x = 1 }
ltl p { ([] (x == 0)) + 1 }
