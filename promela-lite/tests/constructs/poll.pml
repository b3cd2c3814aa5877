/* Whether a receive could happen. */
mtype = { msg };
chan q = [2] of { mtype, byte };
active proctype P() { byte v; q?[msg, v]; q??[msg, 2]; if :: q?[_, eval(v)] && v == 0 -> skip :: q??[msg(3)] fi }
