/*
 * A counter that only one of the formulas reads.
 *
 * expect: safety holds
 * expect: reaches violated
 * expect: other holds
 */
byte x; byte trips;
active proctype P() { do :: x < 3 -> x++; trips++ :: x > 0 -> x--; trips++ od }
ltl reaches { [] (trips < 7) }
ltl other { [] (x < 4) }
