#define GLUE(a, b) a ## b
byte xy;
init { GLUE(x, y) = 1; GLUE(x, +) }
