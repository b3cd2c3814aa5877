/* The alternating bit protocol over a channel that loses, with statistics. */
mtype = { data, ack }; chan s = [1] of { mtype, bit, byte }; chan r = [1] of { mtype, bit }; int sent, again, lost;
active proctype Sender() { bit b; byte v; do :: s!data,b,v; sent++; if :: r?ack,eval(b) -> b = 1 - b; v = (v + 1) % 3 :: r?ack,eval(1 - b) -> again++ :: timeout -> again++ fi od }
active proctype Receiver() { bit e, b; byte v, want; do :: s?data,b,v -> if :: b == e -> assert(v == want); want = (want + 1) % 3; e = 1 - e :: else fi; r!ack,b :: s?data,b,v -> lost++ od }
