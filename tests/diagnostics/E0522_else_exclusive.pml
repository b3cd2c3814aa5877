chan q = [1] of { byte };
init { xs q; if :: q!1 :: else fi }
