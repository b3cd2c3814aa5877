init { return 1 }
