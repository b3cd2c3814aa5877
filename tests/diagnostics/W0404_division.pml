byte x;
init { x = x / 0; x = x << 40 }
