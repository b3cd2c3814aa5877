byte x;
init { byte y; short y; int x; y = x }
