/* Questions to channels, and the operator X, in formulas. */
chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
ltl f { [] (nempty(q) || empty(q)) && X full(q) }
