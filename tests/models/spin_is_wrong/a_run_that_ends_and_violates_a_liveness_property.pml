/*
 * A run that ends and violates a liveness property.
 *
 * expect: p violated
 */
byte n; active proctype A() { n = 1 } active proctype B() { n = 2 } ltl p { <>[] (n == 1) }
