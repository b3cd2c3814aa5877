/* A variable declared in an inline belongs to the block of each call. */
byte x, y;
inline swap(a, b) { byte t; t = a; a = b; b = t }
active proctype P() { swap(x, y); swap(y, x) }
