/*
 * Choices are not fair, processes are.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p violated
 * expect-strong: p violated
 */
byte g;
active proctype P() { do :: g = 1 :: g = 2 od }
ltl p { <> (g == 2) }
