byte x;
init { x = !!x; x = 1 }
