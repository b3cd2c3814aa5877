/* A formula needs no name. */
bool p;
active proctype P() { p = true }
ltl { <> p }
