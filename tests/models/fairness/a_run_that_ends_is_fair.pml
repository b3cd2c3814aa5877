/*
 * A run that ends is fair.
 *
 * expect: p violated
 * expect-f: p violated
 * expect-weak: p violated
 * expect-strong: p violated
 */
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
ltl p { <> [] (n == 1) }
