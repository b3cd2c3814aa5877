/*
 * Mutex peterson.
 *
 * expect: safety holds
 * graph: 38 states, 27 matched, 0 atomic, 0 errors
 */
bool flag[2]; bit turn; byte inside;
active [2] proctype P() {
  do
  :: flag[_pid] = 1; turn = _pid;
     (flag[1 - _pid] == 0 || turn == 1 - _pid);
     inside++; assert(inside == 1); inside--;
     flag[_pid] = 0
  od
}
