/*
 * Truncation.
 *
 * expect: safety holds
 * graph: 320 states, 1 matched, 0 atomic, 0 errors
 */
bit b; byte y; short s; int i; unsigned u : 3;
active proctype P() { do :: b = b + 3; y = y + 100; s = s + 16384; i = i + 1073741824; u = u + 3 od }
