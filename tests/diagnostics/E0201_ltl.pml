byte x;
init { x = 1 }
ltl p { [] (x == 1 }
ltl q { x == 1 U }
ltl r { }
