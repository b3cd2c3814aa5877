/* Formulas in symbols. */
byte x, y;
active proctype P() { x = 1; y = 1 }
ltl p0 { [] (x == 0 || y <= 1) }
ltl p1 { <> (x == 1) && [] <> (y == 1) }
ltl p2 { (x == 0) U (x == 1) -> (y == 0) W (y == 1) }
ltl p3 { (y == 1) V (x < 2) <-> ! (x == 5) }
