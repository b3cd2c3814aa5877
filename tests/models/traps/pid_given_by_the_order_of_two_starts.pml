/*
 * Pid given by the order of two starts.
 *
 * expect: safety violated
 * expect: low violated
 * reduction: on
 */
byte seen;
proctype A() { do :: true od }
proctype B() { seen = _pid; assert(seen != 3) }
active proctype P() { run A(); do :: true od }
active proctype Q() { run B(); do :: true od }
ltl low { [] (seen != 2) }
