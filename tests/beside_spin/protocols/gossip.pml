/* Gossip: who knows what, with a count of the messages. */
byte knows[3]; chan c[3] = [1] of { byte, byte }; int told, useless;
active [3] proctype G() { byte k, w; knows[_pid] = 1 << _pid; c[(_pid + 1) % 3]!knows[_pid],_pid; told++; end: do :: c[_pid]?k,w -> if :: (knows[_pid] | k) != knows[_pid] -> knows[_pid] = knows[_pid] | k; c[(_pid + 1) % 3]!knows[_pid],_pid; told++ :: else -> useless++ fi od }
