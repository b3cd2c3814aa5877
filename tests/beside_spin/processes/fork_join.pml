/* Forked workers signal a barrier of their own. */
proctype Work(chan done) { byte s; s = 1; s = s * 2; done!s }
proctype Join(byte n) {
  chan done = [3] of { byte }; byte i, s, t;
  do :: i < n -> run Work(done); i++ :: else -> break od;
  do :: i > 0 -> done?s; t = t + s; i-- :: else -> break od;
  assert(t == 2 * n)
}
init { run Join(3); run Join(2) }
