#ifdef N
byte x;
