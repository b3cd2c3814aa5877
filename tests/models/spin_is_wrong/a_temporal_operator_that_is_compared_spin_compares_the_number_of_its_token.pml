/*
 * A temporal operator that is compared: SPIN compares the number of its token.
 *
 * expect: model refused
 */
byte x; ltl p { [] x == 0 } active proctype P() { x = 0 }
