/*
 * Pid left by a process that has ended.
 *
 * expect: safety violated
 * expect: low violated
 * reduction: on
 */
byte seen;
proctype A() { skip }
proctype B() { seen = _pid; assert(seen != 2) }
init { run A(); run B() }
ltl low { [] (seen != 1) }
