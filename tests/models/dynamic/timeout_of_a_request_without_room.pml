/*
 * The answer may come after the time is up, and nobody takes it.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
proctype Job(chan out) { byte v; v = 1; out!v }
proctype Client() {
  chan out = [0] of { byte }; byte v;
  run Job(out);
  if :: out?v -> assert(v == 1) :: skip -> v = 0 fi
}
init { run Client(); run Client() }
