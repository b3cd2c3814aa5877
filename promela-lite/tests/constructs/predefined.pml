/* _, _pid and _nr_pr. */
byte x;
active [2] proctype P() { _ = 3; x = _pid; x = _nr_pr; if :: _nr_pr == 1 && _pid == 0 -> x = 1 :: else fi }
