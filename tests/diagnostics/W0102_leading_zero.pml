int x;
init { x = 0755 }
