byte x;
init { x = 1 }
ltl safe { [] (x < 2) }
ltl safe { <> (x == 1) }
never { skip }
never never_0 { skip }
