/* Receives, of the first and of any message, with and without taking it. */
mtype = { msg, ack };
chan q = [4] of { mtype, byte };
active proctype P() { byte v; mtype m; q?m, v; q?msg(v); q??ack, v; q?<m, v>; q??<msg, v>; q?(m, v); q??ack(v) }
