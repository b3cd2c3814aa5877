/*
 * An atom that the automaton had optimised away still changed the letter.
 *
 * expect: safety holds
 * expect: p0 violated
 * expect: p1 violated
 * expect: p2 violated
 */
byte g0;
unsigned g1 : 2;
chan c0 = [1] of { short };
active proctype P0() {
    byte l0;
    skip;
    ((g1 % 3) >= 0);
    g0 = (~(l0 ^ g0)) % 2;
}

ltl p0 { ((g1 / 1) > 1) }

ltl p1 { (0 != g0) }

ltl p2 { <> ((g0 == g1) U ((g1 << 1) > g1)) }

