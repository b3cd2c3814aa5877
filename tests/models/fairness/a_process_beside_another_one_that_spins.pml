/*
 * A process beside another one that spins.
 *
 * expect: p violated
 * expect-f: p holds
 * expect-weak: p holds
 * expect-strong: p holds
 */
byte g;
active proctype P() { do :: skip od }
active proctype Q() { g = 1 }
ltl p { <> (g == 1) }
