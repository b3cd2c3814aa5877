/*
 * The mirror: the comparison in parentheses is violated.
 *
 * expect: p violated
 */
byte x; ltl p { [] (x == 0) } active proctype P() { x = 1 }
