/*
 * A consumer takes from whichever producer is ready.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Producer(chan out; byte v) { out!v; out!v }
proctype Consumer(chan a, b, done) {
  byte v, n;
  do :: n < 4 -> if :: a?v -> assert(v == 1) :: b?v -> assert(v == 2) fi; n++ :: else -> break od;
  done!0
}
proctype Main() {
  chan a = [0] of { byte }; chan b = [0] of { byte }; chan done = [0] of { bit };
  run Producer(a, 1); run Producer(b, 2); run Consumer(a, b, done); done?_
}
init { run Main(); run Main() }
