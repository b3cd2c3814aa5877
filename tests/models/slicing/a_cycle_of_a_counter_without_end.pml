/*
 * The values of a counter repeat after 256 rounds only.
 *
 * expect: again violated
 * expect: once holds
 */
bit x; byte n;
active proctype P() { do :: x = 1 - x; n = n + 1 od }
ltl again { <> [] (x == 1) }
ltl once { [] <> (x == 1) }
