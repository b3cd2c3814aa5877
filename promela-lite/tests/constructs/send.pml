/* Sends, plain and sorted, and the form with a message type in front. */
mtype = { msg, ack };
chan q = [4] of { mtype, byte, byte };
active proctype P() { q!msg, 1, 2; q!msg(1, 2); q!!ack, 3, 4; q!!ack(3, 4) }
