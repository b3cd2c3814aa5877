/*
 * A channel with two places is a semaphore.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
byte inside;
proctype User(chan s, done) { byte i; for (i : 1 .. 2) { s!0; atomic { inside++ }; assert(inside <= 2); atomic { inside-- }; s?_ } done!0 }
init { chan s = [2] of { bit }; chan done = [3] of { bit }; byte i; for (i : 1 .. 3) { run User(s, done) } for (i : 1 .. 3) { done?_ } }
