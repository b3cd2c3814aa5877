int x;
init { x = 4294967295 }
