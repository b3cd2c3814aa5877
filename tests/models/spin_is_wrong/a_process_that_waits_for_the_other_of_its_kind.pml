/*
 * A process that waits for the other of its kind.
 *
 * expect: safety violated
 */
byte i = 1; active [2] proctype p() { (i > 0) -> i-- }
