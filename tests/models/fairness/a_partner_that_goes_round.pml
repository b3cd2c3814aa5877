/*
 * A partner that goes round: while it stands before a step of its own, nobody can meet it, so weak fairness does not make the
 * other one move. Merged with the step before, that step would be missed.
 *
 * expect: taken violated
 * expect-f: taken violated
 * expect-weak: taken violated
 * expect-strong: taken holds
 */
chan c = [0] of { bit };
bit x;
active proctype P() { byte k; do :: c!1 :: k = 1; k = 0 od }
active proctype Q() { do :: c?_ -> x = 1 od }
ltl taken { <> (x == 1) }
