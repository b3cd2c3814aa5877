/*
 * A user that takes the semaphore twice may wait for ever, as may the other one.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
proctype User(chan s, done) { s!0; s!0; s?_; s?_; done!0 }
init { chan s = [2] of { bit }; chan done = [2] of { bit }; run User(s, done); run User(s, done); done?_; done?_ }
