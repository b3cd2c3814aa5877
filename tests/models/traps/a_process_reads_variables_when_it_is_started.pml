/*
 * A process reads variables when it is started.
 *
 * expect: safety violated
 * reduction: on
 */
byte g;
proctype A() { byte x = g; assert(x == 0) }
active proctype Q() { g = 1; do :: true od }
init { run A() }
