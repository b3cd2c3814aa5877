/* A variable may initialise the next one of the same declaration; lists may contain any expression. */
byte n = 3, m = n + 1;
byte a[2] = { n, m * 2 };
active proctype P() { a[0] = m }
