bool fork[3];
int meals;
active [3] proctype P() { do
  :: atomic { !fork[_pid]; fork[_pid] = true }; atomic { !fork[(_pid + 1) % 3]; fork[(_pid + 1) % 3] = true }; meals++; fork[_pid] = false; fork[(_pid + 1) % 3] = false
  od
}
