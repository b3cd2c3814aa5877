/* Channels and structures travel in messages. */
typedef M { byte a; byte b }
chan q = [1] of { chan, M };
active proctype P() { chan me = [1] of { byte }; M m; m.a = 1; q!me, m }
active proctype Q() { chan c; M m; q?c, m; c!m.a }
