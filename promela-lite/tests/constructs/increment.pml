/* ++ and -- of variables, elements and fields. */
typedef T { byte f }
byte x, a[2];
T t;
active proctype P() { x++; a[x]--; t.f++ }
