#define K 0
byte i, n;
active proctype P() { for (i : 0 .. K-1) { n++ }; assert(n == 0) }
