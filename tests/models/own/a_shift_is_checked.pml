/*
 * A shift is checked.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: ShiftOutOfRange { distance: 32 }
 */
byte i = 32; active proctype A() { i = 1 << i }
