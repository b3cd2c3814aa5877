byte x;
init { x = 1 }
ltl p { [] !timeout }
