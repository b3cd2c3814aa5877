/* The built-in preprocessor. */
#define SIZE 2
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define LONG x = 1; \
    x = 2
#ifdef SIZE
byte x, a[SIZE];
#else
byte x;
#endif
#if defined(SIZE) && SIZE > 1
active proctype P() { x = MAX(x, 3); LONG; a[1] = x }
#elif SIZE
error here
#endif
#undef SIZE
