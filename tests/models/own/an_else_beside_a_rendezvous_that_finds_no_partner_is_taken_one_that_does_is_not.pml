/*
 * An else beside a rendezvous that finds no partner is taken, one that does is not.
 *
 * expect: safety violated
 * finds: deadlock
 */
chan c = [0] of { bit }; byte x;
active proctype A() { if :: c!1 :: else -> x = 1 fi }
active proctype B() { atomic { x == 0 -> if :: c?1 :: else -> x = 2 fi } }
