byte x = { 1, 2 };
byte i;
init { x[i] = 3 }
