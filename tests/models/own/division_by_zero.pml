/*
 * Division by zero.
 *
 * expect: safety violated
 * graph: 1 states
 * finds: DivisionByZero
 */
byte i; active proctype A() { i = 1 / i }
