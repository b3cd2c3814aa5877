byte x;
procedure f() { here: x = 1 }
active proctype P() { f() }
ltl p { <> at(here) }
