/* len, empty, nempty, full, nfull. */
chan q = [2] of { byte };
active proctype P() { empty(q) && nfull(q); q!1; nempty(q); q!2; full(q) || len(q) == 2; len(q) - 1 > 0 }
