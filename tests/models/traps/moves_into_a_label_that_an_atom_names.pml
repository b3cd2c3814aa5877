/*
 * Moves into a label that an atom names.
 *
 * expect: meet violated
 * expect: apart holds
 * reduction: on
 */
bit a, b;
active proctype P() { a = 1; here: skip; a = 0 }
active proctype Q() { b = 1; there: skip; b = 0 }
ltl meet { !(<> (P@here && Q@there)) }
ltl apart { [] (P@here -> a) }
