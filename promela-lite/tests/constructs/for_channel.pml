/* The messages of a channel, each once. */
typedef M { byte a; byte b }
chan q = [3] of { M };
M all[2];
active proctype P() { M m; byte s; m.a = 1; q!m; q!m; for (m in q) { s = s + m.a }; for (all[1] in q) { s = s + all[1].b } }
