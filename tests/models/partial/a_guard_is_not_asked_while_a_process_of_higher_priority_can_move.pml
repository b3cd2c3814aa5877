/*
 * A guard is not asked while a process of higher priority can move.
 *
 * expect: safety holds, 6 states
 * spin: same
 */
byte a[2], i = 2, x; active proctype A() priority 1 { a[i] == 0 } active proctype B() priority 5 { x = 1; i = 0 }
