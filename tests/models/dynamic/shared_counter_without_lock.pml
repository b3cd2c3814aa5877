/*
 * Two children add to a variable that they share, and an addition may be lost.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
byte x;
proctype Add(chan done) { byte t; t = x; x = t + 1; done!0 }
proctype Main() { chan done = [2] of { bit }; run Add(done); run Add(done); done?_; done?_; assert(x == 2) }
init { run Main() }
