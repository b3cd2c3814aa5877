/*
 * A process that can move only now and then.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p violated
 * expect-strong: p holds
 */
bit x; byte g;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { x == 1; g = 1 }
ltl p { <> (g == 1) }
