byte a[20000000];
init { a[0] = 1 }
