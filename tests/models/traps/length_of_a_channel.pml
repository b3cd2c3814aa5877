/*
 * Length of a channel.
 *
 * expect: one violated
 * expect: two holds
 * reduction: on
 */
chan c = [2] of { byte }; byte g;
active proctype S() { c!1; c!2 }
active proctype R() { byte v; c?v; g = 1; c?v }
ltl one { !(<> (len(c) == 1 && g == 1)) }
ltl two { [] (len(c) <= 2) }
