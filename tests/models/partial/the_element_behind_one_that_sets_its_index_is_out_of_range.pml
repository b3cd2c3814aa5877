/*
 * The element behind one that sets its index is out of range.
 *
 * expect: safety violated, index
 * spin: same
 */
chan c = [1] of { byte, byte }; byte a[2], i = 1; active proctype P() { c!2,7; c?i,a[i] }
