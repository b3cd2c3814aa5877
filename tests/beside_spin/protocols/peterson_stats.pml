/* Peterson's algorithm with counts of entries. */
bit want[2]; bit turn; byte inside; int entries[2], spins;
active [2] proctype P() { do :: want[_pid] = 1; turn = 1 - _pid; (!want[1 - _pid] || turn == _pid); inside++; assert(inside == 1); entries[_pid]++; inside--; want[_pid] = 0 od }
ltl exclusion { [] (inside < 2) }
