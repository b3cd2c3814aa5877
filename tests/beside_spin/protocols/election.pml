/* A leader is elected in a ring; messages are counted. */
chan q[4] = [4] of { byte }; int messages; byte leaders;
proctype N(byte id; chan in; chan out) { byte x; out!id; messages++; end: do :: in?x -> if :: x > id -> out!x; messages++ :: x < id -> skip :: else -> leaders++; assert(leaders == 1) fi od }
init { atomic { run N(2, q[0], q[1]); run N(1, q[1], q[2]); run N(4, q[2], q[3]); run N(3, q[3], q[0]) } }
