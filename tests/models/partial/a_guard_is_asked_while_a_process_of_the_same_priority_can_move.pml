/*
 * A guard is asked while a process of the same priority can move.
 *
 * expect: safety violated, index
 * spin: same
 */
byte a[2], i = 2, x; active proctype A() priority 5 { a[i] == 0 } active proctype B() priority 5 { x = 1; i = 0 }
