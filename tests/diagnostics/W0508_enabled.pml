init { enabled(1); pc_value(0) == 1 }
