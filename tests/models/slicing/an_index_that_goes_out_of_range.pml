/*
 * A variable that is only an index may be out of range.
 *
 * expect: safety violated, index
 */
byte n; byte log[3]; bit x;
active proctype P() { do :: log[n] = x; n++; x = 1 - x od }
