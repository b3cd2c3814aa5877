/*
 * The mirror: the index is cut, so that neither it nor the array matters.
 *
 * expect: safety holds
 */
byte n; byte log[3]; bit x;
active proctype P() { do :: log[n % 3] = x; n++; x = 1 - x od }
