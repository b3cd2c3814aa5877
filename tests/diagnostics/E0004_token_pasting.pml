#define GLUE(a, b) a ## b
