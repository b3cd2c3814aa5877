/*
 * A guard fails beside a process that loops for ever.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i; active proctype R() { byte l; do :: l = 1 - l od } active proctype P() { byte k; k = 1; i = 2; i == 2 -> a[i] == 1 }
