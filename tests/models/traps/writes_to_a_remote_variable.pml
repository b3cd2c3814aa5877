/*
 * Writes to a remote variable.
 *
 * expect: odd violated
 * expect: small holds
 * reduction: on
 */
active proctype P() { byte x; x = 1; x = 2; x = 4 }
active proctype Q() { byte y; y = 1; y = 3 }
ltl odd { !(<> (P:x == 2 && Q:y == 1)) }
ltl small { [] (P:x <= 4) }
