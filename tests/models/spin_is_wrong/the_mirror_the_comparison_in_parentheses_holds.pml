/*
 * The mirror: the comparison in parentheses holds.
 *
 * expect: p holds
 */
byte x; ltl p { [] (x == 0) } active proctype P() { x = 0 }
