byte x = [2] of { byte };
chan q[2] = [1] of { byte };
init { xr q[1]; x = 1; q[1]!1 }
