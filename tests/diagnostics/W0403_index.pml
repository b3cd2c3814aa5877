byte a[3], b[2];
init { a[3] = 1; a[0] = b[-1] }
