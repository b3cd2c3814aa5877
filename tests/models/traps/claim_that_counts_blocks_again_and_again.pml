/*
 * Claim that counts blocks again and again.
 *
 * expect: never_0 violated
 * reduction: on
 */
bit g;
active proctype Q() { do :: g = 1; g = 0 od }
active proctype P() { bit a; do :: a = 0 od }
never {
z0: if :: !g -> goto a1 :: !g -> goto a0 fi;
a1: if :: !g -> goto a0 fi;
a0: if :: !g -> goto a1 :: g -> goto accept_b1 :: g -> goto accept_b0 fi;
accept_b1: if :: g -> goto accept_b0 fi;
accept_b0: if :: g -> goto accept_b1 :: !g -> goto a1 :: !g -> goto a0 fi
}
