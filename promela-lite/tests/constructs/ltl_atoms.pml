/* Any Promela expression is an atom; equal ones are one atom. */
chan q = [2] of { byte };
byte a[3];
active proctype P() { byte v; L: q!1; a[1] = 2; v = 1 }
ltl f { [] (len(q) <= 2 && (P@L -> a[1] + 1 == 1)) && <> (len(q) <= 2) && [] (P:v == 0 || q?[1]) }
