/* Constant and computed indices, several variables in one declaration. */
#define N 3
byte a[N], b[N] = 2, k;
int c[2] = { 5, 6 };
active proctype P() { short l[N * 2]; a[1] = b[2]; a[k] = b[a[k]]; l[k + 1] = c[1]; l[5] = -1 }
