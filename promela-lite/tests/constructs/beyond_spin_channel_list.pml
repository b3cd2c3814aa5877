/* A channel initialiser need not be the last in a list of variables. */
chan q = [2] of { byte }, r = [0] of { bit };
active proctype P() { q!1; r!1 }
