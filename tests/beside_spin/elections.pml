chan ring[3] = [2] of { byte, byte };
int messages;
active [3] proctype N() { byte m, hops; byte mine; mine = _pid + 1; ring[(_pid + 1) % 3]!mine,0; end: do
  :: ring[_pid]?m,hops -> messages++; if
  :: m > mine -> ring[(_pid + 1) % 3]!m,hops + 1
  :: m == mine -> break
  :: else fi
  od
}
