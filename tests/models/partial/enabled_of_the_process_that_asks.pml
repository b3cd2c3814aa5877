/*
 * Enabled of the process that asks.
 *
 * expect: safety violated, end
 * spin: asks itself, because SPIN refuses the question
 */
byte i; active proctype P() { enabled(i) } active proctype Q() { end: false }
