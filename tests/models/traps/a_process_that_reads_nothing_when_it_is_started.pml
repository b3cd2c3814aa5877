/*
 * A process that reads nothing when it is started.
 *
 * expect: safety holds
 * reduction: on
 */
byte g;
proctype A() { byte x = 0; assert(x == 0) }
active proctype Q() { g = 1; do :: true od }
init { run A() }
