/*
 * The mirror: the local variable never has that value.
 *
 * expect: p holds
 */
active proctype P() { byte x; x = 1; x = 2 } active proctype Q() { byte y; y = 1; y = 2 }
ltl p { [] (P:x != 3) }
