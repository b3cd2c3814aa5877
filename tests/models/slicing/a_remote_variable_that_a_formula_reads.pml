/*
 * A local variable that is only written, but looked at from outside.
 *
 * expect: safety holds
 * expect: small violated
 * expect: tame holds
 */
byte x;
active proctype P() { byte u; do :: u = (u + 1) % 5; x = 1 - x od }
ltl small { [] (P:u < 4) }
ltl tame { [] (x < 2) }
