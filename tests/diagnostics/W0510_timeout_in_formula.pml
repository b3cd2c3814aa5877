byte x;
init { x = 1 }
ltl p { [] !timeout }
ltl q { <> (x == 1) }
