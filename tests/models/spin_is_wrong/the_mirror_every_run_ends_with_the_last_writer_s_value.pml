/*
 * The mirror: every run ends with the last writer's value.
 *
 * expect: p holds
 */
byte n; active proctype A() { n = 1 } active proctype B() { (n == 1); n = 2 } ltl p { <>[] (n == 2) }
