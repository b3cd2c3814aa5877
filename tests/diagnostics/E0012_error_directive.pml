#ifndef N
#error set N with -D N=3
#endif
