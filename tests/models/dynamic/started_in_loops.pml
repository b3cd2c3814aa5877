/*
 * Processes are started and waited for in a loop within a loop.
 *
 * expect: safety holds
 * reduction: on
 * spin: same
 */
proctype Job(chan out) { byte step; step = 1; out!step }
proctype Main() {
  chan out = [2] of { byte }; byte i, j;
  for (i : 1 .. 2) { for (j : 1 .. 2) { run Job(out) } for (j : 1 .. 2) { out?_ } }
}
init { run Main() }
