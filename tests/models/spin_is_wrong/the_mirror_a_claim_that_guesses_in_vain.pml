/*
 * The mirror: a claim that guesses in vain.
 *
 * expect: never_0 holds
 */
byte g;
active proctype Q() { g = 0 }
active proctype P() { bit a; do :: a = 0 od }
never {
y0: if :: (g == 0) -> goto e1 :: (g == 0) -> goto e0 fi;
e1: if :: (g == 0) -> goto e0 fi;
e0: if :: (g == 0) -> goto e1 :: !(g == 0) -> goto accept fi;
accept: if :: !(g == 0) -> goto accept fi
}
