/*
 * A message keeps its value when it is received into a narrower variable.
 *
 * expect: safety holds
 * finds: nothing
 */
chan c = [2] of { int }; byte n;
active proctype S() { c!300; c!-1 }
active proctype R() { bit b; byte y; c?<b>; assert(b == 0); c?y; assert(y == 44); c?b; assert(b == 1) }
active proctype N() { n = 1; n = 2 }
