/* Lamport's bakery for two, with numbers that begin again. */
byte num[2]; bit choosing[2]; byte inside; short served;
active [2] proctype P() { do :: choosing[_pid] = 1; if :: num[1 - _pid] < 3 -> num[_pid] = num[1 - _pid] + 1 :: else -> choosing[_pid] = 0; num[1 - _pid] == 0; choosing[_pid] = 1; num[_pid] = 1 fi; choosing[_pid] = 0; !choosing[1 - _pid]; (num[1 - _pid] == 0 || num[_pid] < num[1 - _pid] || (num[_pid] == num[1 - _pid] && _pid == 0)); inside++; assert(inside == 1); served++; inside--; num[_pid] = 0 od }
