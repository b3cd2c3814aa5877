mtype = { data, ack };
chan to = [1] of { mtype, bit };
chan from = [1] of { mtype, bit };
int sent, lost, received;
active proctype Sender() { bit s; do
  :: to!data,s -> sent++; if
  :: from?ack,eval(s) -> s = 1 - s
  :: from?ack,eval(1 - s) -> lost++ fi
  od
}
active proctype Receiver() { bit r, e; do
  :: to?data,r -> received++; from!ack,r; if
  :: r == e -> e = 1 - e
  :: else fi
  od
}
