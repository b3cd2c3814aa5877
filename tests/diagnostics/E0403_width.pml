unsigned a : 0;
unsigned b : 40;
unsigned c;
byte d : 3;
init { a = b + c + d }
