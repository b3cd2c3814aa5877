/*
 * Merging and labels of the property.
 *
 * expect: passes violated
 * expect: order holds
 * reduction: on
 */
active proctype P() { byte l; l = 1; here: l = 2; l = 3 }
active proctype Q() { byte k; k = 1; k = 2; there: k = 3 }
ltl passes { !(<> (P@here && Q@there)) }
ltl order { <> P@here }
