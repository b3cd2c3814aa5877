/*
 * Enabled and pc.
 *
 * expect: safety violated
 * graph: 19 states, 3 matched, 0 atomic, 2 errors
 */
byte x;
active proctype A() { x == 1; x = 2; x == 7 }
active proctype B() { do :: enabled(0) -> x = 3; break :: !enabled(0) && x == 0 -> x = 1 od; (pc_value(0) > 2) -> x = 7 }
