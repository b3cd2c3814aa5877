/* A ticket acquire. */
byte next, serving, inside;
active [3] proctype P() { byte t; do :: atomic { t = next; next = (next + 1) % 3 }; serving == t; inside++; assert(inside == 1); inside--; serving = (serving + 1) % 3 od }
