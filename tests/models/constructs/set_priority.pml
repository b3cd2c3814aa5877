/*
 * Set priority.
 *
 * expect: safety violated
 * graph: 30 states, 11 matched, 0 atomic, 2 errors
 */
byte x;
active proctype A() { byte l; x++; set_priority(1, 5); x++; assert(get_priority(1) > 3); l = x }
active proctype B() { byte l; x++; x++; set_priority(_pid, 1); set_priority(0, 9); l = x }
