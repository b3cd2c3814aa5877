/* Jobs on two machines; makespan and idle time are counted. */
byte todo = 4, finished; int busy[2], idle;
active [2] proctype Machine() { byte step; do :: atomic { todo > 0 -> todo-- }; step = 2; do :: step > 0 -> step--; busy[_pid]++ :: else -> break od; finished++ :: todo == 0 -> idle++; break od }
