/*
 * Enabled of another process than the one that asks.
 *
 * expect: safety holds, 1 states
 * spin: same
 */
byte i = 1; active proctype P() { end: enabled(i) } active proctype Q() { end: false }
