/*
 * Two that spin in one state, both to be seen moving.
 *
 * expect: p violated
 * expect-f: p holds
 * expect-weak: p holds
 * expect-strong: p holds
 */
byte g;
active proctype P() { do :: skip od }
active proctype Q() { do :: skip od }
active proctype R() { do :: g = 1 - g od }
ltl p { [] <> (g == 1) }
