#define MAX(a, b) ((a) > (b) -> (a) : (b))
init { x = MAX(1) }
