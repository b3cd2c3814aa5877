/*
 * Two processes close the channel.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
typedef Chan { chan sync = [0] of { byte }; chan closing = [0] of { bit }; byte size }
proctype Monitor(Chan ch) { bit closed; end: do :: ch.closing?_ -> assert(!closed); closed = 1 :: ch.sync?_ od }
proctype Sender(Chan ch; chan done) { ch.sync!1; ch.closing!0; done!0 }
proctype Main() {
  Chan ch; chan done = [1] of { bit };
  run Monitor(ch); run Sender(ch, done); done?_; ch.closing!0
}
init { run Main() }
