/*
 * Peek and poll.
 *
 * expect: safety holds
 * graph: 90 states, 40 matched, 0 atomic, 0 errors
 */
chan c = [2] of { byte };
byte seen;
active proctype S() { c!1; c!2; c!3 }
active proctype R() {
  byte v;
  do
  :: c?<v> -> seen = v
  :: c?[1] -> c?v
  :: c??[2] -> c??2
  :: c??<3> -> c?v; break
  od
}
