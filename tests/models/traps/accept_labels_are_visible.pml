/*
 * Accept labels are visible.
 *
 * expect: acceptance violated
 * reduction: on
 */
bit x;
active proctype P() { bit l; do :: l = 1; accept: l = 0 od }
active proctype Q() { bit k; do :: k = 1; k = 0 :: x = 1 -> break od }
