/*
 * A partner that prints: slicing leaves nothing of its steps, and still they are states in which nobody can meet it.
 *
 * expect: taken violated
 * expect-f: taken violated
 * expect-weak: taken violated
 * expect-strong: taken holds
 */
chan c = [0] of { bit };
bit x;
active proctype P() { bit b; do :: c?b :: printf("no\n"); printf("not yet\n") od }
active proctype Q() { do :: c!1 -> x = 1 od }
ltl taken { <> (x == 1) }
