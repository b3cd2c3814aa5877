chan q = [1] of { byte };
byte x;
active proctype P() { xr q; q?x }
active proctype Q() { xr q; q?x }
