chan jobs = [2] of { byte, byte };
chan results = [2] of { byte, byte }; byte id;
int busy[2], seen;
active proctype Boss() { byte k; byte u; do
  :: jobs!1,id; id = (id + 1) % 3
  :: results?k,u; seen++
  od
}
active [2] proctype W() { byte k; byte u; do
  :: jobs?k,u; busy[_pid - 1]++; results!k,u
  od
}
