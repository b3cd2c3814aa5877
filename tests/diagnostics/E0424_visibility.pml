hidden bit b;
hidden chan q = [1] of { byte };
show mtype = { one };
init { hidden byte l; b = l; q!one }
