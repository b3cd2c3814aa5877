/*
 * A D_proctype has one step at a time.
 *
 * expect: safety violated
 * finds: Nondeterminism
 */
byte x; active D_proctype A() { if :: x == 0 -> x = 1 :: x < 5 -> x = 2 fi }
