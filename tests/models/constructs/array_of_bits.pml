/*
 * Array of bits.
 *
 * expect: safety violated
 * graph: 52 states, 20 matched, 0 atomic, 2 errors
 */
bit a[2]; bool b;
active proctype A() { a[0] = 2; b = 2; if :: a[0] == 2 -> a[1] = 255 + 1 :: a[0] == 0 -> assert(false) fi; b = (a[1] == 0) }
active proctype B() { a[0]++; a[0] = a[0] * 2 }
