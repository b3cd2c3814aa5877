/*
 * Timeout inside an atomic.
 *
 * expect: safety violated
 * reduction: on
 */
byte x, g;
active proctype P() { atomic { x = 1; if :: timeout -> x = 2 :: g == 1 fi } }
active proctype Q() { bit l; l = 1; l = 0 }
active proctype R() { assert(x != 1) }
