/*
 * The last stage does not pass on that the stages before have come to their end.
 *
 * expect: safety violated
 * reduction: on
 * spin: same
 */
proctype Source(chan out) { byte i; for (i : 1 .. 2) { out!i } out!0 }
proctype Stage(chan in, out; bit close) {
  byte v;
  do :: in?v -> if :: v == 0 -> break :: else -> out!(v + 1) fi od;
  if :: close -> out!0 :: else fi
}
init {
  chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };
  byte v;
  run Source(a); run Stage(a, b, 1); run Stage(b, c, 0);
  do :: c?v -> if :: v == 0 -> break :: else fi od
}
