byte x;
proctype P() { skip }
init { x = 1 }
ltl p { [] run P() }
