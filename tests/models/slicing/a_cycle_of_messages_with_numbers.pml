/*
 * Messages carry numbers that nobody reads.
 *
 * expect: again violated
 * expect: once holds
 */
chan c = [2] of { bit, byte }; bit x; byte n;
active proctype P() { do :: c!x,n; n++ od }
active proctype R() { byte last; do :: c?x,last; x = 1 - x od }
ltl again { <> [] (x == 1) }
ltl once { [] (x < 2) }
