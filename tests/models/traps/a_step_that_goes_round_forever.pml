/*
 * A step that goes round forever.
 *
 * expect: served violated
 * reduction: on
 */
bit a; byte g;
active proctype Q() { g = 1 }
active proctype P() { do :: a = 0 od }
ltl served { <> (g == 1) }
