chan q = [1] of { byte };
init { !full(q); assert(empty(q) == false) }
