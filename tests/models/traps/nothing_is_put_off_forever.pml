/*
 * Nothing is put off forever.
 *
 * expect: never_comes violated
 * reduction: on
 */
byte g;
active proctype Q() { g = 1 }
active proctype P() { bit a; do :: a = 0 od }
ltl never_comes { [] (g == 0) }
