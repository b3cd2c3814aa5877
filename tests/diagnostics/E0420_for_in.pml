typedef M { byte a }
byte i, n;
chan q = [1] of { byte };
init { M m; for (i in n) { skip }; for (m in q) { skip }; for (i in q) { skip }; m.a = 1; q?n }
