chan q = [1] of { byte };
init { _pid = 3; _nr_pr = 2; q?_pid }
