/* Fields of structures of another process. */
typedef T { byte f; byte g[2] }
active proctype P() { T t; t.g[1] = 1 }
active proctype Q() { P:t.f + P[0]:t.g[1] == 1 }
