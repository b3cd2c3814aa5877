/*
 * Peterson.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p holds
 * expect-strong: p holds
 */
bit want[2], turn; byte crit;
active [2] proctype P() { do :: want[_pid] = 1; turn = 1 - _pid; (want[1 - _pid] == 0 || turn == _pid); crit = _pid + 1; crit = 0; want[_pid] = 0 od }
ltl p { [] <> (crit == 1) }
