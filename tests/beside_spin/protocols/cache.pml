/* Write-back caches on a bus; hits and misses are counted. */
byte owner = 9; bit valid[3]; int hits, misses, writes;
active [3] proctype Cache() { do :: valid[_pid] -> hits++ :: atomic { !valid[_pid] && owner == 9 -> valid[_pid] = 1 }; misses++ :: atomic { valid[_pid] && owner == 9 && !valid[(_pid + 1) % 3] && !valid[(_pid + 2) % 3] -> owner = _pid }; writes++ :: atomic { owner == _pid -> owner = 9 } :: atomic { valid[_pid] && owner != _pid -> valid[_pid] = 0 } od }
ltl single { [] (owner == 0 -> !valid[1]) }
