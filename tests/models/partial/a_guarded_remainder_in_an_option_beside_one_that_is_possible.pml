/*
 * A guarded remainder in an option beside one that is possible.
 *
 * expect: safety holds, 3 states
 * spin: same
 */
byte n = 6, d; active proctype P() { end: if :: n == 6 :: d > 0 && n % d == 1 fi }
