/* Constants, eval and _ in receives. */
chan q = [2] of { byte, short, bit };
byte a[2];
active proctype P() { byte v = 2; q?1, -1, true; q?eval(v), _, _; q?a[1], eval(v + 1), 0; q?a[v - 1], _, false }
