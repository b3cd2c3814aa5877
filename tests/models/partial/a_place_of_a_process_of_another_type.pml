/*
 * A place of a process of another type.
 *
 * expect: safety holds, 2 states
 * spin: assertion, because SPIN compares the numbers of the places and forgets the types
 */
byte i = 1; active proctype P() { end: L: false } active proctype Q() { assert(!(P[i]@L)); end: false }
