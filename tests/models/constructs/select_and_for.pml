/*
 * Select and for.
 *
 * expect: safety holds
 * graph: 19 states, 2 matched, 0 atomic, 0 errors
 */
byte sum;
active proctype P() { byte i; byte a[3]; select (i : 1 .. 3); for (i in a) { a[i] = i; sum = sum + a[i] } }
