/*
 * A guard never fails between two steps, and others go on.
 *
 * expect: safety holds, 112 states
 * spin: same
 */
byte a[2], i; active proctype P() { end: a[i] == 5 } active proctype Q() { i = 1; i = 0 }
active proctype R() { byte l; l = 1; l = 2; l = 3 } active proctype S() { byte k; do :: k < 3 -> k++ :: else -> break od }
