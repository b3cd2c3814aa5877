chan q = [-1] of { byte };
chan r = [100000] of { byte };
init { q!1; r!1 }
