/*
 * Stages that are started one by one, each with the channel of the one before.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Source(chan out) { byte i; for (i : 1 .. 3) { out!i } out!0 }
proctype Stage(chan in, out) { byte v; do :: in?v -> if :: v == 0 -> break :: else -> out!(v + 1) fi od; out!0 }
init {
  chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte };
  byte v, sum;
  run Source(a); run Stage(a, b); run Stage(b, c);
  do :: c?v -> if :: v == 0 -> break :: else -> sum = sum + v fi od;
  assert(sum == 12)
}
