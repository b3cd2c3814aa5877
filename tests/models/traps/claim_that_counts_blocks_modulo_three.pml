/*
 * Claim that counts blocks modulo three.
 *
 * expect: never_0 violated
 * reduction: on
 */
byte g;
active proctype Q() { g = 1 }
active proctype P() { bit a; do :: a = 0 od }
never {
y0: if :: g == 0 -> goto e0 :: g == 0 -> goto e1 :: g == 0 -> goto e2 fi;
e2: if :: g == 0 -> goto e1 fi;
e1: if :: g == 0 -> goto e0 fi;
e0: if :: g == 0 -> goto e2 :: g != 0 -> goto accept_all fi;
accept_all: if :: g != 0 -> goto accept_all fi
}
