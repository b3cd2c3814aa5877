/*
 * Stopped inside an atomic by a guard.
 *
 * expect: safety violated
 * reduction: on
 */
byte g, x, y;
active proctype R() { assert(!(x == 1 && y == 0)) }
active proctype P() { atomic { x = 1; g == 1; y = 1 } }
active proctype S() { g = 1 }
