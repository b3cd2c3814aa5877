/* Formulas in words. */
bool p, q;
active proctype P() { p = true; q = true }
ltl w0 { always (p implies eventually q) }
ltl w1 { (p until q) || (p weakuntil q) || (p stronguntil q) }
ltl w2 { (p release q) equivalent p }
