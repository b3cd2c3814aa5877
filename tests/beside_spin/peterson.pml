bool want[2]; bit turn; byte inside; short tries[2];
active [2] proctype P() { do
  :: want[_pid] = true; tries[_pid]++; turn = _pid; (!want[1 - _pid] || turn == 1 - _pid); inside++; assert(inside == 1); inside--; want[_pid] = false
  od
}
