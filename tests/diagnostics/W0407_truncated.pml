byte x = 300;
bit b;
init { x = 256; b = 2; x = -1 }
