/* Constant expressions are folded, errors excepted. */
#define N (2 * 3 - 1)
int x;
byte a[N];
active proctype P() { x = N << 2 | 1; x = -7 / 2; x = -7 % 2; x = 1 / (N - 5); x = 'a' + '\n'; x = 2147483647 + 1; a[N - 1] = 1 }
