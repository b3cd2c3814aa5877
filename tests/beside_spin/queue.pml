byte q[4]; byte used; byte put;
int taken;
active proctype P() { do
  :: used < 4 -> q[used] = put; used++; put = (put + 1) % 3
  od
}
active proctype C() { do
  :: used > 0 -> used--; taken = q[used]
  od
}
