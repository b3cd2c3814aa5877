/*
 * The answer may come after the time is up; the channel has room for it.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Job(chan out) { byte v; v = 1; out!v }
proctype Client() {
  chan out = [1] of { byte }; byte v;
  run Job(out);
  if :: out?v -> assert(v == 1) :: skip -> v = 0 fi
}
init { run Client(); run Client() }
