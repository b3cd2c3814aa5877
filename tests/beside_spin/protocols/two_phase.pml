/* Two-phase commit; votes are counted twice, once for nothing. */
mtype = { prepare, yes, no, commit, abort }; chan to[3] = [1] of { mtype }; chan from = [3] of { mtype, byte }; int yeses, noes; byte committed, aborted;
active proctype Coord() { byte i, n; mtype m; do :: i < 3 -> to[i]!prepare; i++ :: else -> break od; i = 0; do :: i < 3 -> from?m,_; i++; if :: m == yes -> n++; yeses++ :: else -> noes++ fi :: else -> break od; i = 0; do :: i < 3 -> if :: n == 3 -> to[i]!commit :: else -> to[i]!abort fi; i++ :: else -> break od }
active [3] proctype Part() { mtype m; to[_pid - 1]?prepare; if :: from!yes,_pid :: from!no,_pid fi; to[_pid - 1]?m; if :: m == commit -> committed++; assert(aborted == 0) :: else -> aborted++; assert(committed == 0) fi }
