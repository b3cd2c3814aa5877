/*
 * Each child answers in a channel of its own.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Child(chan out; byte v) { byte own = v; own = own + 1; out!own }
init {
  chan out[3] = [1] of { byte };
  byte i, v;
  for (i : 0 .. 2) { run Child(out[i], i) }
  for (i : 0 .. 2) { out[i]?v; assert(v == i + 1) }
}
