/* Sessions with attempts that are logged. */
mtype = { try, ok, bad }; chan q = [0] of { mtype, byte }; chan p = [0] of { mtype }; int log[4]; byte attempts;
active proctype Server() { byte k; do :: q?try,k -> log[k % 4]++; attempts++; if :: k == 2 -> p!ok :: else -> p!bad fi od }
active proctype User() { byte k; do :: select (k : 0 .. 3); q!try,k; if :: p?ok :: p?bad fi od }
