/*
 * Formulas are evaluated from left to right: what is decided is evaluated no further.
 *
 * expect: p00 holds
 * expect: p01 violated, index
 * expect: p02 violated, index
 * expect: p03 violated, cycle
 * expect: p04 holds
 * expect: p05 violated, division
 * expect: p06 violated, cycle
 * expect: p07 holds
 * expect: p08 violated, cycle
 * expect: p09 violated, channel
 * expect: p10 holds
 * expect: p11 holds
 * expect: p12 holds
 * expect: p13 violated, index
 * expect: p14 violated, index
 * expect: p15 holds
 * expect: p16 holds
 * expect: p17 violated, index
 * expect: p18 holds
 * expect: p19 holds
 * expect: p20 violated, index
 * expect: p21 holds
 * expect: p22 violated, index
 * expect: p23 holds
 * expect: p24 violated, index
 * expect: p25 holds
 * expect: p26 violated, index
 * expect: p27 holds
 * expect: p28 holds
 * expect: p29 violated, index
 * expect: p30 violated, cycle
 * expect: p31 violated, index
 * expect: p32 violated, division
 * expect: p33 holds
 * expect: p34 violated, shift
 * expect: p35 holds
 * expect: p36 holds
 * expect: p37 violated, division
 * expect: p38 holds
 * expect: p39 holds
 */
byte a[2]; byte i; byte d; byte n = 6; bool up; chan late; chan q = [1] of { byte };
active proctype P() { nowhere: i = 1; d = 1; late = q; up = 1; late!3; up = 0; i = 2; d = 0 }
ltl p00 { [] ((i < 2) -> (a[i] == 0)) }
ltl p01 { [] (a[i] == 0) }
ltl p02 { [] ((a[i] == 0) || (i == 2)) }
ltl p03 { [] ((i < 2) -> (a[i] == 1)) }
ltl p04 { [] ((d != 0) -> (n / d >= 6)) }
ltl p05 { [] (n / d >= 6) }
ltl p06 { [] ((d != 0) -> (n % d == 1)) }
ltl p07 { [] (up -> (len(late) <= 1)) }
ltl p08 { [] (up -> (len(late) == 0)) }
ltl p09 { [] (len(late) <= 1) }
ltl p10 { [] (len(q) <= 1) }
ltl p11 { [] ((i == 2) || (a[i] == 0)) }
ltl p12 { [] !((i < 2) && (a[i] == 1)) }
ltl p13 { [] !((a[i] == 1) && (i < 2)) }
ltl p14 { [] ((i == 2) <-> (a[i] == 1)) }
ltl p15 { [] ((i < 2) -> ((a[i] == 0) <-> (i < 2))) }
ltl p16 { [] ((i < 2) -> (a[i] == 0 && a[1 - i] == 0)) }
ltl p17 { [] ((i < 3) -> (a[i] == 0 && a[1 - i] == 0)) }
ltl p18 { [] ((i < 2 && a[i] == 0) || i == 2) }
ltl p19 { (a[i] == 0) U (i == 2) }
ltl p20 { (i < 2) U (a[i] == 1) }
ltl p21 { (a[i] == 0) W (i == 2) }
ltl p22 { (a[i] == 0) U (i == 3) }
ltl p23 { <> (i == 1 && a[i] == 0) }
ltl p24 { <> (a[i] == 1) }
ltl p25 { <> (a[i] == 0) }
ltl p26 { (i == 2) V (a[i] == 0) }
ltl p27 { (i == 1) V (a[i] == 0) }
ltl p28 { <> (i == 2) || [] (a[i] == 0) }
ltl p29 { <> (i == 3) || [] (a[i] == 0) }
ltl p30 { [] (i < 2) && [] (a[i] == 0) }
ltl p31 { [] (a[i] == 0) && [] (i < 2) }
ltl p32 { [] ((i < 2) -> <> (n / d >= 0)) }
ltl p33 { [] ((d != 0) -> <> (n / d >= 0)) }
ltl p34 { [] ((1 << (d - 1)) > 0) }
ltl p35 { [] ((d > 0) -> ((1 << (d - 1)) == 1)) }
ltl p36 { [] (P[7]@nowhere || n == 6) }
ltl p37 { (n / d == 0) }
ltl p38 { (d == 0) || (n / d == 0) }
ltl p39 { X (d == 0 || n / d == 6) }
