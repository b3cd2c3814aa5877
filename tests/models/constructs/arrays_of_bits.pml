/*
 * Arrays of bits.
 *
 * expect: safety holds
 * graph: 2113 states, 1906 matched, 0 atomic, 0 errors
 */
bool done[5]; byte n;
active [2] proctype P() { byte i; for (i : 0 .. 4) { if :: !done[i] -> done[i] = 1; n++ :: else fi } }
