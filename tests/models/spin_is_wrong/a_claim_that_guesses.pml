/*
 * A claim that guesses.
 *
 * expect: never_0 violated
 */
byte g;
active proctype Q() { g = 1 }
active proctype P() { bit a; do :: a = 0 od }
never {
y0: if :: (g == 0) -> goto e1 :: (g == 0) -> goto e0 fi;
e1: if :: (g == 0) -> goto e0 fi;
e0: if :: (g == 0) -> goto e1 :: !(g == 0) -> goto accept fi;
accept: if :: !(g == 0) -> goto accept fi
}
