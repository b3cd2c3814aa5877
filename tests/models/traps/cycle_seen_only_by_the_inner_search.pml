/*
 * Cycle seen only by the inner search.
 *
 * expect: alternates violated
 * reduction: on
 */
byte g; bit x;
active proctype P() { do :: x = 1; x = 0 od }
active proctype Q() { bit l; do :: l = 1; l = 0 :: g == 0 -> g = 1 od }
ltl alternates { !([]<> (g == 1)) }
