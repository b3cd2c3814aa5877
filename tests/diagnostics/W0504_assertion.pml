init { assert(1 == 1) }
