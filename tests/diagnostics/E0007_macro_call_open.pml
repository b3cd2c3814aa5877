#define TWICE(a) (2 * (a))
init { x = TWICE(1 }
