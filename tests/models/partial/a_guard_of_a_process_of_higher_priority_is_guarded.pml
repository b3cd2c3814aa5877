/*
 * A guard of a process of higher priority is guarded.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype B() priority 5 { i < 2 && a[i] == 0 } active proctype A() priority 1 { x = 1; i = 0 }
