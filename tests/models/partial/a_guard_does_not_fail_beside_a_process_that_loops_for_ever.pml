/*
 * A guard does not fail beside a process that loops for ever.
 *
 * expect: safety holds, 8 states
 * spin: same
 */
byte a[2], i; active proctype R() { byte l; do :: l = 1 - l od } active proctype P() { byte k; k = 1; i = 1; i == 1 -> a[i] == 1 }
