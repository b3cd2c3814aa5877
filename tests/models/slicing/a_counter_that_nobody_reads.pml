/*
 * A counter that nobody reads, in a loop that never ends.
 *
 * expect: safety holds
 * expect: stays_in_range holds
 * expect: stays_low violated
 */
byte x; byte trips;
active proctype P() { do :: x < 3 -> x++; trips++ :: x > 0 -> x--; trips++ od }
ltl stays_in_range { [] (x > 3 -> false) }
ltl stays_low { [] <> (x == 0) }
